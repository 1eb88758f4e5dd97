import FileKit
import FilmgateCore
import FilmgateStudio
import Glibc
import Synchronization

/// One connection to whatever run holds the state, taken up again when it breaks, for as long as the page is served.
final class RunWatch: Sendable {
    /// How long a run may say nothing before it counts as gone; it says something every five seconds.
    private static let patience: Int32 = 15_000
    private let state: String
    private let isOver = Atomic(false)
    private let current = Mutex<LineStream?>(nil)

    /// Where no run comes for a while, this tells of the next one; nobody looks meanwhile but for every ten seconds.
    private let arrivals: ChangeWatch
    private static let rest: Int32 = 10_000, pauses = RetryPauses(first: 0.05, most: 1)

    init(state: String) { (self.state, arrivals) = (state, ChangeWatch(state)) }

    /// Calls `hear` on a thread of its own with each thing that happens.
    func start(_ hear: @escaping @Sendable (RunSignal) -> Void) {
        BlockingThread.run { [self] in
            var pauses = Self.pauses, known = WatchRequest(), tries = 0
            while !isOver.load(ordering: .relaxed) {
                let isWatching = arrivals.begin()
                if follow(&known, hear) { (pauses, tries) = (Self.pauses, 0) }
                tries += 1
                // A run makes its socket before it answers there.
                guard isWatching, tries > 6 else {
                    usleep(UInt32(pauses.next(random: .random(in: 0...1)) * 1e6))
                    continue
                }
                if arrivals.wait(Self.rest) { (pauses, tries) = (Self.pauses, 0) }
            }
        }
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        current.withLock { $0?.giveUp() }
        arrivals.end()
    }

    /// Follows one run to its end; false when there is none.
    private func follow(_ known: inout WatchRequest, _ hear: (RunSignal) -> Void) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        let stream = LineStream(owning: descriptor, patience: Self.patience)
        // struct timeval: connecting waits where the queue of a run that does nothing any more is full.
        var limit = [5, 0]
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
        guard ControlPath.withAddress(in: state, { connect(descriptor, $0, $1) }) == 0 else { return false }
        current.withLock { $0 = stream }
        defer { current.withLock { $0 = nil } }
        guard !isOver.load(ordering: .relaxed), stream.send(known.line) else { return false }
        var isHeard = false, request = known
        stream.lines { line in
            guard let answer = WatchAnswer(line) else { return false }
            if !isHeard { hear(.here) }
            isHeard = true
            switch answer {
            case .hello(let instance, let number, let isGap):
                (request.instance, request.since) = (instance, number)
                if isGap { hear(.gap) }
            case .change(let number, let at, let key, let value):
                request.since = number
                hear(.change(key: key, value: value, at: at))
            case .gap(let number):
                request.since = number
                hear(.gap)
            case .alive: break
            }
            return !isOver.load(ordering: .relaxed)
        }
        known = request
        if isHeard { hear(.gone) }
        return isHeard
    }
}
