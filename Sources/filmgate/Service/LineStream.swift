import Glibc
import Synchronization

/// Lines over a connected socket; blocks.
///
/// Closes it in the end. Whoever takes a line too slowly is hung up: nothing more is sent to it then.
final class LineStream: Sendable {
    let descriptor: Int32
    /// No line is longer: a request is a command line, an answer one line of output.
    static let longest = 4 << 20
    /// How long one line may take to go out, however slowly it moves.
    private static let sending = Duration.seconds(30)

    /// Milliseconds after which a silent other side counts as gone; −1 = never.
    private let patience: Int32
    private let isGone = Atomic(false)
    /// Nothing is sent or waited for after this.
    private let end: Mutex<ContinuousClock.Instant?>

    /// `within`: how long all of it may take.
    init(owning descriptor: Int32, patience: Int32 = -1, within limit: Duration? = nil) {
        (self.descriptor, self.patience) = (descriptor, patience)
        end = Mutex(limit.map { .now + $0 })
    }

    deinit { close(descriptor) }

    /// False when the other side is gone, or as good as gone.
    @discardableResult func send(_ line: String) -> Bool {
        guard !isGone.load(ordering: .relaxed) else { return false }
        var text = line + "\n"
        let due = ContinuousClock.now + Self.sending
        let isSent = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.send(
                    descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
                if count > 0 || errno == EINTR { continue }
                guard errno == EAGAIN, wait(for: POLLOUT, until: due) else { return false }
            }
            return true
        }
        if !isSent { giveUp() }
        return isSent
    }

    /// Calls `body` with each line until it says false, the other side closes, or a line has more than `limit` bytes.
    ///
    /// `within`: how long to wait for lines at all; the body's own time does not count while it runs.
    func lines(upTo limit: Int = longest, within time: Duration? = nil, _ body: (String) -> Bool) {
        var pending: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 16 << 10), looked = 0
        let last = time.map { ContinuousClock.now + $0 }
        while pending.count < limit {
            guard wait(for: POLLIN, until: last ?? (patience < 0 ? nil : .now + .milliseconds(Int(patience)))) else {
                return
            }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending += chunk[..<count]
            // A long line comes in many pieces: each is looked at once.
            while let end = pending[looked...].firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                looked = 0
                if !body(line) { return }
            }
            looked = pending.count
        }
    }

    /// The rest must be over by then.
    func finish(within limit: Duration) { end.withLock { $0 = min($0 ?? .now + limit, .now + limit) } }

    /// There is no limit to all of it any more.
    func takeYourTime() { end.withLock { $0 = nil } }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Nothing more is sent, and whoever reads hears the end.
    func giveUp() {
        isGone.store(true, ordering: .relaxed)
        hangUp()
    }

    /// False when nothing happened by `due`, or by the end of all.
    private func wait(for events: Int32, until due: ContinuousClock.Instant?) -> Bool {
        while true {
            var left: Int32 = -1
            if let last = [due, end.withLock { $0 }].compactMap({ $0 }).min() {
                let (seconds, attoseconds) = (last - .now).components
                guard seconds >= 0, attoseconds >= 0 else { return false }
                left = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
            }
            var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let found = poll(&waiting, 1, left)
            if found > 0 { return true }
            if found < 0, errno != EINTR { return false }
        }
    }
}
