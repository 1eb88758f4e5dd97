import NIOCore
import ServerKit

/// The data connections of one client: each is agreed on by a command, serves one transfer and leads to the client's
/// own machine.
///
/// Its commands return what the client is told.
final class DataConnector {
    enum Outcome {
        case open(DataConnection)
        /// With the reply that says why not.
        case refused(String)
    }
    private let server: FTPServer
    private let channel: any Channel
    private let peer: String
    private let lines: CommandReceiver
    /// What was agreed on last; nil once a transfer has taken it.
    private var endpoint: DataEndpoint?
    /// Whether data goes over TLS.
    private var isProtected: Bool

    init(_ server: FTPServer, _ channel: any Channel, _ lines: CommandReceiver, peer: String, isProtected: Bool) {
        self.server = server
        self.channel = channel
        self.lines = lines
        self.peer = peer
        self.isProtected = isProtected
    }

    /// PROT.
    func protect(_ level: String, controlIsProtected: Bool) -> String {
        switch level.uppercased() {
        case "P" where controlIsProtected:
            isProtected = true
            return "200 Data is protected."
        case "C" where server.options.tls == .explicit || server.options.tls == .none:
            isProtected = false
            return "200 Data is in the clear."
        case "C":
            server.refuse("\(peer) asked for data without TLS", from: peer) { $0.plainRefused += 1 }
            return "534 Data only with TLS."
        default: return "536 PROT P or C."
        }
    }

    /// PASV, or `extended` EPSV.
    func listen(extended: Bool) async -> String {
        close()
        guard let own = channel.localAddress, let address = PeerAddress.text(own) else { return "425 No address." }
        do {
            let made = try await DataEndpoint.listening(at: PeerAddress.plain(own), server.options.passive, setup)
            endpoint = made
            if extended { return "229 Entering extended passive mode (|||\(made.port)|)" }
            let shown = server.options.passiveAddress ?? address
            let host = shown.split(separator: ".")
            guard host.count == 4 else { return "425 EPSV only." }
            return "227 Entering passive mode (\(host.joined(separator: ",")),\(made.port >> 8),\(made.port & 255))"
        } catch { return "425 No port is free." }
    }

    /// PORT or EPRT.
    func call(_ address: (host: String, port: Int)?) -> String {
        close()
        guard let address else { return "501 Not an address." }
        guard let made = try? DataEndpoint.calling(address.host, address.port, setup) else {
            return "500 Only to yourself, and not to a service's port."
        }
        endpoint = made
        return "200 OK."
    }

    /// The open data connection for one transfer; `announce` is called before the client is waited for.
    func connect(announce: () async -> Void) async -> Outcome {
        guard let agreed = endpoint else { return .refused("425 PASV, EPSV, PORT or EPRT first.") }
        endpoint = nil
        if server.options.tls == .required, !isProtected {
            agreed.close()
            server.refuse("\(peer) wanted to transfer without TLS", from: peer) { $0.plainRefused += 1 }
            return .refused("522 PROT P first.")
        }
        await lines.transfer { agreed.close() }
        await announce()
        if let connection = try? await agreed.connect(setup) {
            server.watch(connection)
            await lines.transfer { connection.cut() }
            return .open(connection)
        }
        await lines.transfer(nil)
        return .refused("425 The data connection did not come.")
    }

    /// Gives up what was agreed on.
    func close() {
        endpoint?.close()
        endpoint = nil
    }

    private var setup: DataEndpoint.Setup {
        let (server, peer) = (server, peer)
        return DataEndpoint.Setup(
            peer: peer, tls: isProtected ? server.tls : nil, group: server.group, patience: server.options.patience,
            balancers: server.options.balancers
        ) {
            server.refuse("a data connection of \(peer) to or from another machine", from: peer) { $0.foreignData += 1 }
        }
    }
}
