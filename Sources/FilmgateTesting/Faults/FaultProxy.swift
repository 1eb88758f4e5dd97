import Dispatch
import Glibc
import Synchronization

/// Stands between a client and a real server on this machine and lets bytes through, until a fault is due; knows no
/// protocol.
///
/// The fault happens once, and what connects afterwards gets through. Each connection has a thread of its own. Ends
/// with `stop()`.
public final class FaultProxy: Sendable {
    /// What goes wrong.
    ///
    /// Bytes are those that the client sent over all connections together.
    public enum Fault: Sendable {
        /// The connection that brings byte number `afterSent` is reset, at both ends.
        case reset(afterSent: Int)
        /// All connections are reset.
        case cut(afterSent: Int)
        /// That connection ends at both ends as if all had been sent.
        case close(afterSent: Int)
        /// From then on no byte passes on any connection, and none is refused.
        case stall(afterSent: Int)
        /// From then on the client is heard and gets no answer.
        case mute(afterSent: Int)
        /// As soon as this comes true, what the server says next is lost, and all connections are reset.
        case loseAnswer(when: @Sendable () -> Bool)
        /// The next client is told this and hung up on.
        case say(String)
    }

    /// A port that clients connect to, and where it leads.
    public struct Route: Sendable {
        var from: Int, to: Int, host: UInt32
        /// From any free port with `from` 0, to the server at 127.0.0.`host`.
        public init(from: Int = 0, to: Int, host: UInt32 = 1) { (self.from, self.to, self.host) = (from, to, host) }
    }

    private struct State {
        var fault: Fault?, sent = 0, stalled = false, muted = false, stopped = false, cuts = 0, open: Set<CInt> = []
        var begun = false, waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Ports that clients connect to, in the order of the routes.
    public let ports: [Int]
    public var port: Int { ports[0] }
    private let listeners: [CInt]
    private let state: Mutex<State>

    public init(_ routes: [Route], _ fault: Fault? = nil) throws {
        var ports: [Int] = [], listeners: [CInt] = []
        for route in routes {
            let listener = try Socket.listen(route.from)
            ports.append(listener.port)
            listeners.append(listener.descriptor)
        }
        (self.ports, self.listeners) = (ports, listeners)
        state = Mutex(State(fault: fault))
        for (route, listener) in zip(routes, listeners) { Self.thread { self.accept(listener, route) } }
    }

    /// Returns when the fault has begun.
    public func happened() async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state in
                if state.begun || state.stopped { return true }
                state.waiting.append(continuation)
                return false
            }
            if now { continuation.resume() }
        }
    }

    /// Whether the fault has come.
    public var isSpent: Bool { state.withLock { $0.begun } }

    /// Lets everything through from now on; a stall ends with its connections.
    public func mend() {
        let open = state.withLock { state in
            state.fault = nil
            let stuck = state.stalled || state.muted
            (state.stalled, state.muted) = (false, false)
            return stuck ? state.open : []
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Hangs up on everybody.
    public func stop() {
        let (open, waiting) = state.withLock { state in
            state.stopped = true
            defer { state.waiting = [] }
            return (state.open, state.waiting)
        }
        for waiter in waiting { waiter.resume() }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        for listener in listeners { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    deinit { for listener in listeners { close(listener) } }

    /// A serial queue gets a thread at once, however many others are blocked.
    private static func thread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "fault-proxy").async(execute: body)
    }

    private func accept(_ listener: CInt, _ route: Route) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { if errno == EINTR || errno == ECONNABORTED { continue } else { return } }
            Self.thread { self.serve(client, route) }
        }
    }

    private func serve(_ client: CInt, _ route: Route) {
        guard welcome(client), let server = Socket.connect(route.to, host: route.host) else {
            close(client)
            return
        }
        let isOpen = state.withLock { state in
            if !state.stopped { state.open.formUnion([client, server]) }
            return !state.stopped
        }
        if isOpen { pass(client, server) }
        state.withLock { $0.open.subtract([client, server]) }
        close(client)
        close(server)
    }

    /// False: its connections are closed at once.
    private func welcome(_ client: CInt) -> Bool {
        guard case .say(let words) = state.withLock({ $0.fault }) else { return true }
        _ = Wire(client).send(Array(words.utf8))
        begin { $0.fault = nil }
        return false
    }

    private func begin(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.begun = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Until either side ends.
    private func pass(_ client: CInt, _ server: CInt) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let cuts = state.withLock { $0.cuts }
        while true {
            let (stalled, over) = state.withLock { ($0.stalled, $0.stopped || $0.cuts != cuts) }
            if over { return }
            var watch = [
                pollfd(fd: client, events: stalled ? 0 : Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: stalled ? 0 : Int16(POLLIN), revents: 0),
            ]
            if poll(&watch, 2, 50) < 0, errno != EINTR { return }
            if stalled {
                if watch.contains(where: { $0.revents & Int16(POLLHUP | POLLERR) != 0 }) { return }
                continue
            }
            if watch[0].revents != 0, !fromClient(client, server, &buffer) { return }
            if watch[1].revents != 0, !fromServer(client, server, &buffer) { return }
        }
    }

    /// False: the connection is over.
    private func fromClient(_ client: CInt, _ server: CInt, _ buffer: inout [UInt8]) -> Bool {
        let got = recv(client, &buffer, buffer.count, 0)
        guard got > 0 else { return false }
        let sent = state.withLock { state in
            state.sent += got
            return state.sent
        }
        switch state.withLock({ $0.fault }) {
        case .reset(let limit) where sent >= limit:
            begin { $0.fault = nil }
            for descriptor in [client, server] { Wire(descriptor).reset() }
            return false
        case .cut(let limit) where sent >= limit:
            begin { $0.fault = nil }
            cut()
            return false
        case .close(let limit) where sent >= limit:
            begin { $0.fault = nil }
            return false
        case .stall(let limit) where sent >= limit: begin { ($0.fault, $0.stalled) = (nil, true) }
        case .mute(let limit) where sent >= limit: begin { ($0.fault, $0.muted) = (nil, true) }
        default: break
        }
        return Wire(server).send(Array(buffer[..<got]))
    }

    private func fromServer(_ client: CInt, _ server: CInt, _ buffer: inout [UInt8]) -> Bool {
        let got = recv(server, &buffer, buffer.count, 0)
        guard got > 0 else { return false }
        if case .loseAnswer(let isTime) = state.withLock({ $0.fault }), isTime() {
            begin { $0.fault = nil }
            cut()
            return false
        }
        return state.withLock { $0.muted } || Wire(client).send(Array(buffer[..<got]))
    }

    /// Each connection's own thread closes it; with nothing left to say that is a reset.
    private func cut() {
        state.withLock { state in
            for descriptor in state.open { Wire(descriptor).reset() }
            state.cuts += 1
        }
    }
}
