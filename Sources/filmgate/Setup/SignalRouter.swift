import Dispatch
import Glibc
import Synchronization

/// Passes signals on to whoever wants them now; one for the whole life of the process.
///
/// The handler only writes the signal's number into a pipe, which a thread of its own reads: that works whichever
/// thread the kernel picks, however often those who listen come and go, and children begin with the ordinary handling.
final class SignalRouter: Sendable {
    typealias Want = @Sendable (Int32) -> Void

    private struct State {
        var wants: [UInt64: (signals: Set<Int32>, want: Want)] = [:], next: UInt64 = 0
        var listening: Set<Int32> = []
    }
    static let shared = SignalRouter()
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "filmgate.signals")
    /// Both ends of the handler's pipe.
    private static let ends: (out: Int32, into: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }()

    private init() {
        let out = Self.ends.out
        queue.async { [self] in
            var number: UInt8 = 0
            while true {
                let count = read(out, &number, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return }
                heard(Int32(number))
            }
        }
    }

    /// Calls `want` with each of these signals until the key is given back.
    func take(_ signals: [Int32], _ want: @escaping Want) -> UInt64 {
        let (key, new) = state.withLock { state in
            state.next += 1
            state.wants[state.next] = (Set(signals), want)
            let new = signals.filter { state.listening.insert($0).inserted }
            return (state.next, new)
        }
        for number in new { Self.listen(number) }
        return key
    }

    func give(_ key: UInt64) { state.withLock { $0.wants[key] = nil } }

    private static func listen(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let code = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(SignalRouter.ends.into, &byte, 1)
            errno = code
        }
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    private func heard(_ number: Int32) {
        let wants = state.withLock { state in
            let wants = state.wants.values.filter { $0.signals.contains(number) }.map(\.want)
            // Nobody any more: as ever.
            if wants.isEmpty { state.listening.remove(number) }
            return wants
        }
        if wants.isEmpty {
            signal(number, SIG_DFL)
            raise(number)
        }
        for want in wants { want(number) }
    }
}
