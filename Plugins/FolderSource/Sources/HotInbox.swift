import FileKit
import FilmgateCore
import Glibc
import Synchronization

/// What other threads have to say to a loop, and what it lets them know.
final class HotInbox: Sendable {
    private struct State {
        var isClosed = false, retakes: [String] = []
        /// Files that are not whole yet, with what is missing.
        var lacking: [String: String] = [:]
        var whenLackingAny: (@Sendable () -> Void)?
        var moves: [UInt64: String] = [:], moveOrder: [UInt64] = []
    }
    private static let remembered = 8192
    private let state = Mutex(State())
    private let out: Int32, into: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = Self.openPipe(&ends)
        (out, into) = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(out)
        Glibc.close(into)
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// The file was read while it was being changed: hand it on again when it is whole.
    func retake(_ path: String) {
        state.withLock { $0.retakes.append(path) }
        wake()
    }

    func takeRetakes() -> [String] {
        state.withLock { state in
            defer { state.retakes = [] }
            return state.retakes
        }
    }

    var lacking: [String: String] {
        get { state.withLock(\.lacking) }
        set {
            let tell = state.withLock { state in
                defer { state.lacking = newValue }
                return state.lacking.isEmpty != newValue.isEmpty ? state.whenLackingAny : nil
            }
            tell?()
        }
    }

    /// Calls `tell` whenever the first file is not whole, and when all are.
    func whenLackingAny(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.whenLackingAny = tell } }

    /// A file came under this name in one piece, perhaps from another one here.
    func moved(_ inode: UInt64, to path: String) {
        state.withLock { state in
            if state.moves.updateValue(path, forKey: inode) == nil { state.moveOrder.append(inode) }
            if state.moveOrder.count > Self.remembered { state.moves[state.moveOrder.removeFirst()] = nil }
        }
    }

    /// The name that a file has now, when it was renamed lately.
    func newName(of inode: UInt64) -> String? { state.withLock { $0.moves[inode] } }

    /// Sleeps until then, or until somebody has something to say, or until `also` is readable or `way` tells something.
    func wait(until due: ContinuousClock.Instant, also descriptor: Int32?, _ way: PathWatch) {
        let left = (due - .now).components
        let milliseconds = max(
            0, left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        var all = [
            pollfd(fd: out, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        all += way.waits.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        _ = poll(&all, nfds_t(all.count), Int32(clamping: milliseconds))
        way.clear()
        if all[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = read(out, &bytes, bytes.count)
        }
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = write(into, &byte, 1)
    }

    /// A pipe whose ends do not wait and are not inherited.
    private static func openPipe(_ ends: inout [Int32]) -> Bool {
        guard pipe(&ends) == 0 else { return false }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return true
    }
}
