import ArgumentParser
import FilmgateCore
import Glibc
import Synchronization

/// Where something listens.
struct ListenAddress: Sendable, CustomStringConvertible {
    var host: String, port: UInt16
    var description: String { "\(host):\(port)" }
}

/// Answers every GET with the metrics; nothing else is understood.
final class MetricsServer: Sendable {
    /// Who may ask at once; each takes a thread for three seconds at most.
    private static let most = 32
    private let listener: LocalListener
    private let clients = Atomic(0)
    private let text: @Sendable () -> String
    /// Reachable from this machine only.
    private let isPrivate: Bool

    static func address(_ text: String) throws -> ListenAddress {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]), port > 0, inet_addr(String(parts[0])) != in_addr_t.max
        else {
            throw ValidationError("--metrics takes an IPv4 address and a port, such as 127.0.0.1:9464.")
        }
        return ListenAddress(host: String(parts[0]), port: port)
    }

    /// Throws where the address is not this machine's, the port is taken or not allowed.
    init(_ address: ListenAddress, _ text: @escaping @Sendable () -> String) throws(IngestError) {
        self.text = text
        isPrivate = address.host.hasPrefix("127.")
        do throws(LocalListener.Failure) { listener = try LocalListener(host: address.host, port: address.port) } catch
        {
            throw IngestError(
                .misconfigured, "Metrics cannot be served at \(address): \(error.reason).",
                advice: "Name another port, or see who has this one: ss -ltnp 'sport = :\(address.port)'.")
        }
    }

    func start() {
        listener.open { client in
            let stream = LineStream(owning: client, within: .seconds(3))
            guard self.clients.load(ordering: .relaxed) < Self.most else { return }
            self.clients.add(1, ordering: .relaxed)
            BlockingThread.run {
                Self.answer(stream, isPrivate: self.isPrivate, self.text)
                self.clients.subtract(1, ordering: .relaxed)
            }
        }
    }

    func stop() { listener.shut() }

    private static func answer(_ stream: LineStream, isPrivate: Bool, _ text: () -> String) {
        var isGet = false, isForUs = true
        stream.lines(upTo: 16 << 10) { line in
            if line.hasPrefix("GET ") { isGet = true }
            if isPrivate, line.lowercased().hasPrefix("host:") { isForUs = isOwnName(line.dropFirst(5)) }
            return !(line.isEmpty || line == "\r")
        }
        let body = isGet && isForUs ? text() : ""
        stream.send(
            "HTTP/1.1 \(!isForUs ? "421 Misdirected Request" : isGet ? "200 OK" : "405 Method Not Allowed")\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                + "Content-Length: \(body.utf8.count + 1)\r\nConnection: close\r\n\r\n" + body)
    }

    /// A page in the browser can let a name of its own lead to this machine: what only this machine may ask goes by no
    /// such name.
    static func isOwnName(_ host: some StringProtocol) -> Bool {
        let name = String(host).filter { !$0.isWhitespace }.lowercased()
        if name.hasPrefix("[") { return true }
        let bare = name.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
        return bare == "localhost" || inet_addr(String(bare)) != in_addr_t.max
    }
}
