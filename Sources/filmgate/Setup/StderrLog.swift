import Logging

/// Log lines on a command's stderr, one line each: `warning: gallery: …`.
struct StderrLog: LogHandler {
    var label: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .warning
    private let console: Console

    init(label: String, _ console: Console) { (self.label, self.console) = (label, console) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }.map {
            " \($0.key)=\(Describe.name("\($0.value)"))"
        }
        console.err(
            "\(Self.priority(event.level))\(event.level.rawValue): \(Describe.name(event.message.description))\(facts.joined())"
        )
    }

    /// What the journal sorts by (sd-daemon(3)); nothing elsewhere.
    private static func priority(_ level: Logger.Level) -> String {
        guard UserPath.environment("JOURNAL_STREAM") != nil else { return "" }
        return switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
