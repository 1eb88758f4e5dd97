import Dispatch
import Glibc
import Synchronization

/// A small HTTP/1.1 server on loopback that misbehaves as told; optionally a proxy that lets requests through to a real
/// server.
///
/// Each connection has a thread of its own. Requests need `Content-Length`. Ends with `stop()`.
public final class FaultServer: Sendable {
    /// One request as it came in; the body is kept up to 1 MiB.
    public struct Seen: Sendable {
        public var method: String, target: String
        public var headers: [(name: String, value: String)]
        public var body: [UInt8] = []
        /// Bytes of the body that arrived.
        public var received = 0
        /// Which connection it came over, counted from 0.
        public var connection: Int
        var index = 0
        var file: BodyDigest
        /// SHA-256 of the file in the body, however large: the whole body, or a form's last part.
        public var fileDigest: String { file.text }

        public subscript(header name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        public var length: Int { self[header: "Content-Length"].flatMap { Int($0) } ?? 0 }
    }

    private struct State {
        var seen: [Seen] = [], open: Set<CInt> = [], stopped = false, connections = 0
        var waiting: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []
    }

    public let port: Int
    private let listener: CInt
    private let script: @Sendable (Seen, Int) -> FaultAct
    private let upstream: Int?
    private let state = Mutex(State())

    /// `script` decides by the request's head and how many requests came before.
    ///
    /// `upstream`: port that `.relay` sends on to.
    public init(upstream: Int? = nil, _ script: @escaping @Sendable (Seen, Int) -> FaultAct) throws {
        (listener, port) = try Socket.listen()
        (self.script, self.upstream) = (script, upstream)
        Self.thread { self.accept() }
    }

    /// A serial queue gets a thread at once, however many others are blocked; a concurrent one does not.
    private static func thread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "fault-server").async(execute: body)
    }

    /// Returns when the heads of so many requests have come in.
    public func arrival(of count: Int) async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state in
                if state.seen.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if now { continuation.resume() }
        }
    }

    /// Everything that came in so far, in order of arrival.
    public var seen: [Seen] { state.withLock { $0.seen } }
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Hangs up on everybody.
    public func stop() {
        let open = state.withLock { state in
            state.stopped = true
            return state.open
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    deinit { close(listener) }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { if errno == EINTR || errno == ECONNABORTED { continue } else { return } }
            let number: Int? = state.withLock { state in
                if state.stopped { return nil }
                state.open.insert(client)
                state.connections += 1
                return state.connections - 1
            }
            guard let number else { close(client); return }
            Self.thread { self.serve(client, number) }
        }
    }

    private func serve(_ client: CInt, _ number: Int) {
        var wire = Wire(client)
        while let head = wire.readHead() {
            guard var seen = Seen(head: head, connection: number) else { break }
            let ready = state.withLock { state in
                seen.index = state.seen.count
                state.seen.append(seen)
                let ready = state.waiting.filter { $0.count <= state.seen.count }
                state.waiting.removeAll { $0.count <= state.seen.count }
                return ready
            }
            for waiter in ready { waiter.resume.resume() }
            let isLast = seen[header: "Connection"]?.lowercased() == "close"
            if !play(script(seen, seen.index), &seen, &wire) || isLast { break }
        }
        state.withLock { _ = $0.open.remove(client) }
        close(client)
    }

    /// Reads the body and notes it before anything is answered.
    ///
    /// False when the sender ended before.
    private func take(_ seen: inout Seen, _ wire: inout Wire, upTo limit: Int = .max) -> Bool {
        let whole = wire.readBody(&seen, upTo: limit)
        note(seen)
        return whole
    }

    private func note(_ seen: Seen) { state.withLock { $0.seen[seen.index] = seen } }

    /// False: the connection is done with.
    private func play(_ act: FaultAct, _ seen: inout Seen, _ wire: inout Wire) -> Bool {
        switch act {
        case .answer(let status, let headers, let body):
            return take(&seen, &wire) && wire.answer(status, headers, body, to: seen.method)
        case .refuseUnread(let status, let headers):
            _ = wire.answer(status, headers + [("Connection", "close")], "", to: seen.method)
            return false
        case .answerUnread(let status):
            _ = wire.answer(status, [("Connection", "close")], "", to: seen.method)
            // Closing with bytes unread would reset the connection, and the answer might be lost.
            wire.waitForEnd()
            return false
        case .raw(let bytes):
            return take(&seen, &wire) && wire.send(bytes) && false
        case .reset(let bytes):
            _ = take(&seen, &wire, upTo: bytes)
            wire.reset()
            return false
        case .hangUpAfterBody:
            _ = take(&seen, &wire)
            return false
        case .silence:
            _ = take(&seen, &wire)
            wire.waitForEnd()
            return false
        case .deaf:
            wire.waitWithoutReading(until: { self.state.withLock { $0.stopped } })
            return false
        case .compute(let body):
            guard take(&seen, &wire) else { return false }
            var rest = seen
            // The body is read: what follows must not wait for it again.
            rest.headers.removeAll { $0.name.lowercased() == "content-length" }
            let done = play(body(seen), &rest, &wire)
            note(seen)
            return done
        case .relay: return relay(&seen, &wire, answer: true)
        case .relayThenReset:
            _ = relay(&seen, &wire, answer: false)
            wire.reset()
            return false
        }
    }

    /// The answer with the word that the connection ends here: a client that took it for open would run into the end.
    private static func closing(_ reply: [UInt8]) -> [UInt8] {
        guard let line = reply.firstRange(of: [13, 10]) else { return reply }
        return reply[..<line.upperBound] + Array("Connection: close\r\n".utf8) + reply[line.upperBound...]
    }

    private func relay(_ seen: inout Seen, _ wire: inout Wire, answer: Bool) -> Bool {
        guard let upstream, let there = Socket.connect(upstream) else {
            return wire.answer(502, [], "no upstream", to: seen.method)
        }
        defer { close(there) }
        var far = Wire(there)
        var head = "\(seen.method) \(seen.target) HTTP/1.1\r\n"
        for (name, value) in seen.headers where name.lowercased() != "connection" { head += "\(name): \(value)\r\n" }
        guard far.send(Array((head + "Connection: close\r\n\r\n").utf8)), wire.passBody(&seen, to: &far) else {
            return false
        }
        note(seen)
        let reply = far.readToEnd()
        if answer { _ = wire.send(Self.closing(reply)) }
        return false
    }
}

/// What a `FaultServer` does with one request.
public enum FaultAct: Sendable {
    case answer(Int, headers: [(String, String)] = [], body: String = "")
    /// Answers without reading the body, and hangs up.
    case refuseUnread(Int, headers: [(String, String)] = [])
    /// Answers as if it had the body, says that the connection ends here, and throws away what still comes.
    case answerUnread(Int)
    /// Reads the body, sends these bytes and hangs up.
    case raw([UInt8])
    /// Reads so many bytes of the body, then resets the connection. `Int.max`: after the last byte.
    case reset(afterBody: Int)
    /// Reads the body, then closes in good order without an answer.
    case hangUpAfterBody
    /// Reads the body, then never answers.
    case silence
    /// Never reads the body.
    case deaf
    /// Reads the body, then does what the whole request calls for.
    case compute(@Sendable (FaultServer.Seen) -> FaultAct)
    /// Lets the request through to the real server and its answer back.
    case relay
    /// Lets the request through, waits until the server has answered, and resets the connection instead of passing the
    /// answer on.
    case relayThenReset
}

extension FaultServer.Seen {
    init?(head: String, connection: Int) {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard !lines.isEmpty else { return nil }
        let first = lines.removeFirst().split(separator: " ")
        guard first.count == 3 else { return nil }
        var headers: [(name: String, value: String)] = []
        for line in lines {
            let cut = line.split(separator: ":", maxSplits: 1)
            if cut.count == 2 { headers.append((String(cut[0]), String(cut[1].drop { $0 == " " }))) }
        }
        func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        file = BodyDigest(length: value("content-length").flatMap { Int($0) } ?? 0, type: value("content-type"))
        (method, target, self.headers, self.connection) = (String(first[0]), String(first[1]), headers, connection)
    }
}
