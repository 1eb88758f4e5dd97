import FilmgateCore
import Synchronization

/// What is going on, counted from the hub's events; drawn by `ProgressBar`.
final class Progress: Sendable {
    struct Numbers: Sendable {
        var entries = 0, settled = 0
        var bytesToRead: UInt64 = 0, bytesRead: UInt64 = 0
        var current = ""
        /// What is waited for; nil while things go on.
        var waiting: String?
        var queues: [String: (waiting: Int, sending: Int)] = [:]
        var held: [String: String] = [:]
        var endings: [Ending: Int] = [:]
    }
    private let state = Mutex(Numbers())
    /// One word for all that has changed since it was last taken.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() { (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var numbers: Numbers { state.withLock { $0 } }

    @Sendable func note(_ runEvent: RunEvent) {
        count(runEvent)
        switch runEvent {
        case .source, .device, .trouble, .refused, .takenElsewhere: break
        default: change.yield()
        }
    }

    private func count(_ runEvent: RunEvent) {
        state.withLock { numbers in
            switch runEvent {
            case .listed, .started, .read, .settled: numbers.waiting = nil
            case .waiting(let reason): numbers.waiting = reason.message
            default: break
            }
            switch runEvent {
            case .listed(_, let entries, let bytes):
                numbers.entries += entries
                numbers.bytesToRead = numbers.bytesToRead.addingClamped(bytes)
            case .started(let origin): numbers.current = origin.name
            case .read(let bytes): numbers.bytesRead += bytes
            case .settled(let settled):
                numbers.settled += 1
                numbers.endings[settled.ending, default: 0] += 1
            case .queue(let target, let waiting, let sending): numbers.queues[target] = (waiting, sending)
            case .held(let target, let reason): numbers.held[target] = reason
            case .released(let target), .delivered(let target, _, _): numbers.held[target] = nil
            case .retrying, .trouble, .waiting, .source, .companion, .device, .refused, .takenElsewhere: break
            }
        }
    }
}

/// Draws progress on a terminal: one calm line, drawn again only when something has changed.
struct ProgressBar {
    let progress: Progress

    /// Draws until cancelled, then clears its line.
    func run() async {
        let clock = ContinuousClock(), start = clock.now
        for await _ in progress.changes {
            try? await Task.sleep(for: .milliseconds(120))
            if Task.isCancelled { break }
            Console.errPart("\r\u{1B}[K" + line((clock.now - start).inSeconds, width: Console.width - 1))
        }
        Console.errPart("\r\u{1B}[K")
    }

    /// One line, such as `[=====>    ] 45 %  120/300  180 MB/s  ETA 12 s  archive 3  gallery 12!  IMG_0012.CR3`.
    func line(_ seconds: Double, width: Int) -> String {
        let n = progress.numbers
        let share = n.bytesToRead > 0 ? min(1, Double(n.bytesRead) / Double(n.bytesToRead)) : n.entries > 0 ? 1 : 0
        var parts = [bar(share, 20), "\(Int(share * 100)) %", "\(n.settled)/\(n.entries)"]
        if n.bytesRead > 0, seconds > 0.5 {
            let rate = Double(n.bytesRead) / seconds
            parts.append("\(Describe.bytes(UInt64(rate)))/s")
            if n.bytesToRead > n.bytesRead {
                parts.append("ETA " + Describe.duration(Double(n.bytesToRead - n.bytesRead) / rate))
            }
        }
        for (target, queue) in n.queues.sorted(by: { $0.key < $1.key }) where queue.waiting + queue.sending > 0 {
            parts.append("\(target) \(queue.waiting + queue.sending)\(n.held[target] == nil ? "" : " held")")
        }
        if let waiting = n.waiting {
            parts.append("waiting: " + Describe.name(waiting))
        } else if !n.current.isEmpty {
            parts.append(Describe.name(n.current))
        }
        return String(parts.joined(separator: "  ").prefix(width))
    }

    private func bar(_ share: Double, _ width: Int) -> String {
        let full = Int(share * Double(width))
        return "[" + String(repeating: "=", count: full) + (full < width ? ">" : "")
            + String(repeating: " ", count: max(0, width - full - 1)) + "]"
    }
}
