import FileKit
import FilmgateCore
import NIOCore

/// What a client may ask before it sends files, and what is known of those that it sent.
extension FTPSession {
    /// Answers what anybody may ask; false where the command is another.
    func tellFacts(_ line: FTPCommand) async -> Bool {
        if let reply = FTPFeatures.reply(to: line, offersTLS: server.tls != nil) {
            await say(reply)
            return true
        }
        switch line.verb {
        case "TYPE":
            let type = FTPFeatures.type(FTPFeatures.words(of: line))
            isText = type?.isText ?? isText
            await say(type?.reply ?? "504 TYPE I, or A for listings.")
        case "STAT" where line.argument.isEmpty:
            let who = login == nil ? "Not logged in" : "Logged in"
            await say("211-filmgate\r\n \(who), from \(peer)\r\n No transfer is going on\r\n211 End")
        default: return false
        }
        return true
    }

    // MARK: Files

    func tellOfFiles(_ line: FTPCommand) async {
        switch line.verb {
        case "SIZE": await tell(line.argument) { path, known in known.map { "213 \($0.size)" } }
        case "MDTM": await tell(line.argument) { path, known in known.map { "213 \($0.stamp)" } }
        case "MLST":
            await tell(line.argument) { path, known in
                let facts = known.map(\.facts) ?? (path.isRoot || path == folder ? "type=dir;" : nil)
                return facts.map { "250-Facts:\r\n \($0) \(path.shown)\r\n250 End" }
            }
        case "STAT": await status(line.argument)
        case "LIST", "NLST", "MLSD": await list(line)
        default:
            server.count { $0.unknown += 1 }
            await say("502 Not known here.")
        }
    }

    private func tell(_ name: String, _ answer: (FTPPath, FTPKnown?) -> String?) async {
        guard let login else { return }
        await withPath(name) { path in
            let (inbox, client) = (destination.inbox, client(login))
            let known = await Result { () async throws(IngestError) in
                try await server.pool.run { inbox.known(client, path) }
            }
            if case .success(let known) = known { sized = (path, known?.size ?? 0) }
            guard case .success(let known) = known, let words = answer(path, known) else {
                return await say("550 Not here.")
            }
            await say(bytes: PathText.bytes(of: words))
        }
    }

    /// A listing over the control connection.
    private func status(_ name: String) async {
        guard let login else { return }
        await withPath(name) { path in
            let found = destination.inbox.recent(client(login), in: path).map { $0.known.row(named: $0.name) + "\r\n" }
            await say(bytes: PathText.bytes(of: "212-Pushed lately:\r\n\(found.joined())212 End"))
        }
    }

    /// What the login pushed lately: clients look whether it arrived.
    private func list(_ line: FTPCommand) async {
        guard let login else { return }
        guard let connection = await connect() else { return }
        let asked = line.argument.hasPrefix("-") ? "" : line.argument
        let path = (try? FTPPath(asked, from: folder)) ?? folder
        var text = ""
        for (name, known) in destination.inbox.recent(client(login), in: path) {
            text += known.line(of: line.verb, named: name) + "\r\n"
        }
        try? await connection.channel.writeAndFlush(ByteBuffer(bytes: PathText.bytes(of: text))).get()
        try? await connection.channel.close().get()
        await lines.transfer(nil)
        await say("226 That is all.")
    }
}
