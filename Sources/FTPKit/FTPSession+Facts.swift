import FileKit
import FilmgateCore
import NIOCore

/// What the server can do, and what it knows of files.
///
/// It says yes only to what it does: a client that was promised another form of transfer would send one, and it would be filed as a picture.
extension FTPSession {
    /// Answers what anybody may ask; false where the command is another.
    func tellFacts(_ line: FTPCommand) async -> Bool {
        let first = line.argument.uppercased().split(separator: " ").first.map(String.init) ?? ""
        switch line.verb {
        case "FEAT": await say(features)
        case "SYST": await say("215 UNIX Type: L8")
        case "NOOP", "CLNT": await say("200 OK.")
        case "ALLO", "ACCT": await say("202 Not needed here.")
        case "HELP": await say("214 Accepts files by STOR and APPE; FEAT lists the features.")
        case "OPTS": await setOption(line.argument.uppercased().split(separator: " ").map(String.init))
        case "MODE": await say(first == "S" ? "200 As a stream." : "504 MODE S only.")
        case "STRU": await say(first == "F" ? "200 As files." : "504 STRU F only.")
        case "TYPE": await setType(line.argument.uppercased().split(separator: " ").map(String.init))
        case "SITE": await site(first)
        case "STAT" where line.argument.isEmpty:
            await say(
                "211-filmgate\r\n \(login == nil ? "Not logged in" : "Logged in"), from \(peer)\r\n No transfer is going on\r\n211 End")
        default: return false
        }
        return true
    }

    private var features: String {
        let tls = server.tls == nil ? "" : "\r\n AUTH TLS\r\n PBSZ\r\n PROT"
        return "211-Features:\r\n UTF8\r\n SIZE\r\n MDTM\r\n REST STREAM\r\n MLST type*;size*;modify*;\r\n EPSV\r\n EPRT\(tls)\r\n211 End"
    }

    private func setOption(_ words: [String]) async {
        switch words.first {
        case "UTF8", "UTF-8": await say(words.dropFirst().first == "OFF" ? "504 Names are UTF-8." : "200 Names are UTF-8.")
        case "MLST": await say("200 MLST OPTS type;size;modify;")
        default: await say("501 No such option.")
        }
    }

    /// Listings are text whatever is asked for; files are not.
    private func setType(_ words: [String]) async {
        switch (words.first, words.dropFirst().first) {
        case ("I", _), ("L", "8"): isText = false
        case ("A", nil), ("A", "N"):
            isText = true
            return await say("200 For listings only; send TYPE I before files.")
        default: return await say("504 TYPE I, or A for listings.")
        }
        await say("200 Byte for byte.")
    }

    private func site(_ what: String) async {
        switch what {
        case "CHMOD", "UMASK", "UTIME", "IDLE": await say("202 Not needed here.")
        case "HELP", "": await say("214 No SITE commands are supported.")
        default: await say("504 No such SITE command.")
        }
    }

    // MARK: Files

    func tellOfFiles(_ line: FTPCommand) async {
        switch line.verb {
        case "SIZE": await tell(line.argument) { path, known in known.map { "213 \($0.size)" } }
        case "MDTM": await tell(line.argument) { path, known in known.map { "213 \(Self.stamp($0.modified))" } }
        case "MLST":
            await tell(line.argument) { path, known in
                let facts = known.map { Self.facts($0) } ?? (path.isRoot || path == folder ? "type=dir;" : nil)
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
            let (inbox, client) = (server.inbox, client(login))
            let known = await Result { () async throws(IngestError) in try await server.pool.run { inbox.known(client, path) } }
            guard case .success(let known) = known, let words = answer(path, known) else { return await say("550 Not here.") }
            await say(bytes: PathText.bytes(of: words))
        }
    }

    /// A listing over the control connection.
    private func status(_ name: String) async {
        guard let login else { return }
        await withPath(name) { path in
            let found = server.inbox.recent(client(login), in: path).map { Self.row($0.name, $0.known) + "\r\n" }
            await say(bytes: PathText.bytes(of: "212-Pushed lately:\r\n\(found.joined())212 End"))
        }
    }

    /// What the login pushed lately: clients look whether it arrived.
    private func list(_ line: FTPCommand) async {
        guard let login else { return }
        guard let data = await connect() else { return }
        let asked = line.argument.hasPrefix("-") ? "" : line.argument
        let path = (try? FTPPath(asked, from: folder)) ?? folder
        var text = ""
        for (name, known) in server.inbox.recent(client(login), in: path) {
            switch line.verb {
            case "NLST": text += "\(name)\r\n"
            case "MLSD": text += "\(Self.facts(known)) \(name)\r\n"
            default: text += "\(Self.row(name, known))\r\n"
            }
        }
        try? await data.channel.writeAndFlush(ByteBuffer(bytes: PathText.bytes(of: text))).get()
        try? await data.channel.close().get()
        await lines.transfer(nil)
        await say("226 That is all.")
    }

    private static func facts(_ known: FTPKnown) -> String { "type=file;size=\(known.size);modify=\(stamp(known.modified));" }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func row(_ name: String, _ known: FTPKnown) -> String {
        let date = FTPDate(nanoseconds: known.modified), day = date.day < 10 ? " \(date.day)" : "\(date.day)"
        return "-rw-r--r-- 1 ftp ftp \(known.size) \(months[date.month - 1]) \(day)  \(date.year) \(name)"
    }

    private static func stamp(_ nanoseconds: Int64) -> String { FTPDate(nanoseconds: nanoseconds).stamp }
}
