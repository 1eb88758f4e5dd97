import FileKit
import FilmgateCore
import Logging
import NIOCore

/// Folders, names and transfers.
extension FTPSession {
    func handleFiles(_ line: FTPCommand) async {
        switch line.verb {
        case "PWD", "XPWD": await say("257 \"\(folder.shown)\"")
        case "CWD", "XCWD": await enter(line.argument)
        case "CDUP", "XCUP": await enter("..")
        case "MKD", "XMKD": await withPath(line.argument) { path in await say("257 \"\(path.shown)\" created.") }
        case "REST": await restart(line.argument)
        case "PROT": await say(data.protect(line.argument, controlIsProtected: isProtected))
        case "PASV", "EPSV": await say(data.listen(extended: line.verb == "EPSV"))
        case "PORT": await say(data.call(line.hostPort))
        case "EPRT": await say(data.call(line.extendedPort))
        case "STOR": await receive(line.argument, from: restart ?? 0)
        case "APPE": await receive(line.argument, from: restart)
        case "STOU": await receive("upload-\(UInt32.random(in: 0...(.max))).\(FileName(line.argument).ext)", from: 0)
        case "RNFR":
            await withPath(line.argument) { path in
                renaming = path
                await say("350 And the new name?")
            }
        case "RNTO": await rename(line.argument)
        case "ABOR": await say("226 Nothing is being transferred.")
        case "RETR", "DELE", "RMD", "XRMD": await say("550 This server only accepts uploads.")
        default: await tellOfFiles(line)
        }
    }

    func withPath(_ text: String, _ body: (FTPPath) async -> Void) async {
        do throws(FTPPath.Fault) { await body(try FTPPath(text, from: folder)) } catch {
            switch error {
            case .escape:
                refuse("\(peer) tried to leave its folder") { $0.escapes += 1 }
                await say("550 That lies outside of your folder.")
            case .bad: await say("553 No file can have that name.")
            }
        }
    }

    private func enter(_ text: String) async {
        await withPath(text) { path in
            folder = path
            await say("250 Now in \(path.shown).")
        }
    }

    private func restart(_ text: String) async {
        guard let offset = UInt64(text), offset <= 1 << 46 else { return await say("501 Not a number of bytes.") }
        restart = offset
        await say("350 Going on at \(offset).")
    }

    // MARK: Taking

    /// The open data connection for one transfer; says why not.
    func connect() async -> DataConnection? {
        switch await data.connect(announce: { await say("150 Go ahead.") }) {
        case .open(let connection): return connection
        case .refused(let reply):
            await say(reply)
            return nil
        }
    }

    func client(_ login: FTPLogin) -> FTPClient { FTPClient(login: login.home, peer: peer) }

    /// `offset` nil = behind what is there.
    private func receive(_ name: String, from offset: UInt64?) async {
        restart = nil
        guard let login, server.beginTransfer(channel) else { return }
        defer { server.endTransfer(channel) }
        // Its line ends are not those of the file any more: nobody can tell a picture's from a text's.
        guard !isText else { return await say("550 TYPE I first: files are taken byte for byte.") }
        await withPath(name) { path in
            guard !path.isRoot else { return await say("553 A name is needed.") }
            let (server, client, inbox) = (server, client(login), destination.inbox)
            let told = sized?.path == path ? sized?.size : nil
            sized = nil
            let begun = await Result { () async throws(IngestError) in
                try await server.pool.run { () throws(IngestError) in
                    try inbox.begin(client, path, from: offset, told: told)
                }
            }
            switch begun {
            case .success(let upload): await receive(upload)
            case .failure(let error) where error.code == .storageFull:
                let what = "\(PathText.shown(path.shown)) of \(peer): there is no room"
                server.refuse(what, from: peer, kind: "room") { $0.full += 1 }
                await say("452 No room; try again later.")
            case .failure(let error):
                await say("\(offset == nil || offset == 0 ? 553 : 551) \(FTPFeatures.line(error.message))")
            }
        }
    }

    private func receive(_ upload: FTPUpload) async {
        let (server, destination) = (server, destination)
        guard let data = await connect() else {
            upload.interrupt()
            return tellLeft(of: upload)
        }
        let taken = await Result { () async throws(IngestError) in
            try await data.inbox.write(into: upload, on: server.pool)
        }
        await lines.transfer(nil)
        try? await data.channel.close().get()
        switch taken {
        case .success(let file):
            server.count { $0.uploads += 1 }
            let confirmation = destination.receiver().tell(.received(file, abandoned: false))
            if let reason = await confirmation?() { return await say("451 \(FTPFeatures.line(reason))") }
            await say(file.size == 0 ? "226 The file is empty." : "226 \(file.size) bytes, safe.")
        case .failure(let error):
            upload.interrupt()
            server.count { $0.brokenUploads += 1 }
            server.logger.info("FTP: \(PathText.shown(upload.path.shown)) broke off: \(error)")
            tellLeft(of: upload)
            if error.code == .storageFull { server.count { $0.full += 1 } }
            switch error.code {
            case .storageFull: await say("452 No room; go on later.")
            case .rejected: await say("551 \(FTPFeatures.line(error.message))")
            default: await say("426 The connection broke.")
            }
        }
    }

    /// It was out of reach while it was written to: whoever waits for it has to be told again.
    private func tellLeft(of upload: FTPUpload) {
        if let file = upload.leftover { _ = destination.receiver().tell(.received(file, abandoned: true)) }
    }

    // MARK: Afterwards

    private func rename(_ name: String) async {
        guard let login, let old = renaming else { return await say("503 RNFR first.") }
        renaming = nil
        await withPath(name) { path in
            let (destination, client) = (destination, client(login)), inbox = destination.inbox
            let done = await Result { () async throws(IngestError) in
                try await server.pool.run { inbox.rename(client, old, path) }
            }
            guard case .success(let renaming?) = done else {
                return await say("550 It was taken already, or is not here.")
            }
            let confirmation = destination.receiver().tell(.renamed(renaming))
            if let reason = await confirmation?() { return await say("451 \(FTPFeatures.line(reason))") }
            await say("250 Renamed.")
        }
    }
}
