import Logging

/// Log lines on stderr, one line each: `warning: gallery: …`.
struct StderrLog: LogHandler {
    var label: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .warning

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Console.err("\(event.level.rawValue): \(Describe.name(event.message.description))")
    }
}
