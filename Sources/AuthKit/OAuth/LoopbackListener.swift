public import FilmgateCore
import Glibc
import Synchronization

/// Waits on a port of this machine, reachable from nowhere else, for the one request with which a browser comes back.
public final class LoopbackListener: Sendable {
    private let listener: LocalListener
    public let port: Int
    private let stopped = Atomic(false)

    public static let path = "/callback"
    public var redirect: String { "http://127.0.0.1:\(port)\(Self.path)" }

    /// Takes the first of `ports` that is free; none given = any.
    ///
    /// `unavailable` when none is.
    public init(ports: [Int]) throws(IngestError) {
        for port in ports.isEmpty ? [0] : ports {
            guard let number = UInt16(exactly: port), let free = try? LocalListener(host: "127.0.0.1", port: number)
            else { continue }
            (listener, self.port) = (free, free.port)
            return
        }
        throw IngestError(
            .unavailable, "No port is free for the browser to come back to.", advice: "Use `filmgate login --device`.")
    }

    /// The first query that a browser brings and `isOurs` knows; other requests are turned away, and it goes on
    /// waiting.
    ///
    /// Any page in the browser can make requests to this port: one that does not know our state must not end a sign-in.
    /// `unauthorized` after `seconds`, `cancelled` with the task.
    public func answer(
        seconds: Int, isOurs: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws(IngestError) -> String {
        let end = ContinuousClock.now + .seconds(seconds)
        let result: Result<String, IngestError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThread.run {
                    continuation.resume(
                        returning: Result { () throws(IngestError) in try self.serve(until: end, isOurs) })
                }
            }
        } onCancel: {
            stopped.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func serve(until end: ContinuousClock.Instant, _ isOurs: (String) -> Bool) throws(IngestError) -> String {
        var connections: [BrowserConnection] = []
        defer { for connection in connections { close(connection.descriptor) } }
        while ContinuousClock.now < end {
            if stopped.load(ordering: .relaxed) {
                throw IngestError(.cancelled, "Stopped while waiting for the browser.")
            }
            let isFull = connections.count >= Self.most
            var watched = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            watched.append(pollfd(fd: isFull ? -1 : listener.descriptor, events: Int16(POLLIN), revents: 0))
            let count = poll(&watched, nfds_t(watched.count), 100)
            if count > 0 {
                for place in connections.indices.reversed() where watched[place].revents != 0 {
                    let news = connections[place].hear(isOurs)
                    if case .query(let query) = news { return query }
                    if case .left = news { close(connections.remove(at: place).descriptor) }
                }
            }
            if count > 0, watched[watched.count - 1].revents != 0 {
                if let client = listener.next() { connections.append(BrowserConnection(client)) }
            }
            Self.dropSilent(&connections)
        }
        throw IngestError(
            .unauthorized, "The browser did not come back in time.",
            advice: "Where the browser runs on another machine, use `filmgate login --device` or `--paste`.")
    }

    /// Browsers open connections that they may need, and say nothing over them; the one that has something to say comes
    /// beside them.
    private static let most = 32

    /// Nobody is waited for longer than 5 s, and no longer than 1 s where others may be waiting outside.
    private static func dropSilent(_ connections: inout [BrowserConnection]) {
        let limit = connections.count >= most ? Duration.seconds(1) : .seconds(5), now = ContinuousClock.now
        connections.removeAll { connection in
            guard now - connection.since > limit else { return false }
            close(connection.descriptor)
            return true
        }
    }
}

/// One connection of a browser.
private struct BrowserConnection {
    /// What came of listening to it.
    enum News { case more, left, query(String) }

    let descriptor: CInt, since = ContinuousClock.now
    private var head: [UInt8] = []

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Takes what has come, without waiting for more; `left` when nothing more is to be expected.
    mutating func hear(_ isOurs: (String) -> Bool) -> News {
        var part = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &part, part.count, CInt(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return .more }
        guard count > 0 else { return .left }
        head += part[..<count]
        guard head.count >= 32_768 || head.firstRange(of: [13, 10, 13, 10]) != nil else { return .more }
        return query(isOurs).map { .query($0) } ?? .left
    }

    /// The query of a GET for our path that `isOurs` knows; another one gets 400, anything else 404, and nil.
    private func query(_ isOurs: (String) -> Bool) -> String? {
        let words = String(decoding: head.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self).split(separator: " ")
        let place =
            words.count == 3 ? words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false) : []
        guard words.first == "GET", place.count == 2, String(place[0]) == LoopbackListener.path else {
            send("404 Not Found", "Nothing is here.")
            return nil
        }
        let query = String(place[1])
        guard isOurs(query) else {
            send("400 Bad Request", "This is not the answer to the sign-in that is waited for.")
            return nil
        }
        send("200 OK", "You can close this page and go back to Filmgate.")
        return query
    }

    /// A page that says nothing of what came in.
    private func send(_ status: String, _ sentence: String) {
        let page = "<!doctype html><meta charset=utf-8><title>Filmgate</title><p>\(sentence)</p>"
        let text =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\r\n\(page)"
        _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }
}
