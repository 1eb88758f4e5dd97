import Dispatch
import Synchronization

/// What a handed-over job says, on its way to who asked: the job does not wait for a slow reader, up to a limit.
///
/// What comes after the limit waits until the rest is out; a reader that is too slow for that is hung up.
final class OutputQueue: Sendable {
    /// Bytes that may wait.
    private static let most = 1 << 20
    private static let patience = 30

    private let stream: LineStream
    private let queue = DispatchQueue(label: "filmgate.control.answers"), group = DispatchGroup()
    private let waiting = Atomic(0)

    init(_ stream: LineStream) { self.stream = stream }

    func add(_ line: String) {
        let size = line.utf8.count
        if waiting.add(size, ordering: .relaxed).newValue > Self.most,
            group.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut
        {
            stream.giveUp()
        }
        queue.async(group: group) {
            self.stream.send(line)
            self.waiting.subtract(size, ordering: .relaxed)
        }
    }

    /// The last line; returns once all has been sent, or whoever reads it was too slow for that.
    func end(_ line: String) async {
        add(line)
        stream.finish(within: .seconds(Self.patience))
        await withCheckedContinuation { ended in
            queue.async {
                self.stream.hangUp()
                ended.resume()
            }
        }
    }
}
