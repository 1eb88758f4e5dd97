public import FilmgateCore

/// One thing that `check` has to say about a pipeline file.
public struct Diagnostic: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable, Codable { case error, warning }
    /// Unicode scalars.
    static let maxMessage = 600
    public var severity: Severity
    public var error: ConfigError

    /// A message that quotes a very long value is cut; what addresses hold of a secret is hidden.
    public init(_ severity: Severity, _ error: ConfigError) {
        (self.severity, self.error) = (severity, error)
        (self.error.message, self.error.hint) = (AddressMask.hidden(error.message), error.hint.map(AddressMask.hidden))
        guard self.error.message.utf8.count > Self.maxMessage else { return }
        self.error.message = String(self.error.message.unicodeScalars.prefix(Self.maxMessage)) + "…"
    }

    public static func warning(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(.warning, ConfigError(mark, code, message, hint: hint))
    }
}

extension Diagnostic: Encodable {
    enum CodingKeys: String, CodingKey { case type, severity, file, line, column, code, message, hint }

    /// The line of `--json`: `type` is `diagnostic`; line and column are null where a mistake has no place in a text.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode("diagnostic", forKey: .type)
        try fields.encode(severity, forKey: .severity)
        try fields.encode(error.mark.file, forKey: .file)
        try fields.encode(error.mark.line > 0 ? error.mark.line : nil, forKey: .line)
        try fields.encode(error.mark.line > 0 ? error.mark.column : nil, forKey: .column)
        try fields.encode(error.code, forKey: .code)
        try fields.encode(error.message, forKey: .message)
        try fields.encode(error.hint, forKey: .hint)
    }
}
