/// A file name's extension, such as `cr3`: any case, without the dot; `jpg` and `jpeg`, `tif` and `tiff` are the same.
public struct FileExtension: Sendable, Hashable, ConfigValue {
    /// In lower case, as written.
    public let text: String
    private let meaning: String

    public static var kind: ValueKind { .text }
    public var shown: String? { text }

    public init(_ text: String) {
        self.text = text.lowercased()
        meaning = Self.others[self.text] ?? self.text
    }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("an extension such as cr3")
        let plain = text.hasPrefix(".") ? String(text.dropFirst()) : text
        guard !plain.isEmpty, !plain.contains(where: { ".*?/ ".contains($0) }) else {
            throw ConfigError(
                node.mark, "bad-format", "`\(text)` is no extension of a file name.",
                hint: "Write it without a dot, such as `[jpg, cr3]`.")
        }
        self.init(plain)
    }

    private static let others = ["jpeg": "jpg", "jpe": "jpg", "tiff": "tif", "heif": "heic", "hif": "heic"]

    public static func == (a: Self, b: Self) -> Bool { a.meaning == b.meaning }
    public func hash(into hasher: inout Hasher) { hasher.combine(meaning) }
}
