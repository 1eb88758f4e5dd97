public import Logging
import Synchronization

/// Keeps everything that is logged, at every level.
public final class LogCollector: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public var text: String { lines.withLock { $0.joined(separator: "\n") } }

    public var logger: Logger {
        Logger(label: "test") { _ in Handler(collector: self) }
    }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let collector: LogCollector
        var logLevel = Logger.Level.trace, metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            collector.add("\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])")
        }
    }
}
