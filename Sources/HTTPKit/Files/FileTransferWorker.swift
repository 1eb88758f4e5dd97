import CCurl
import FilmgateCore
import Glibc

/// One libcurl handle on a thread queue of its own, for SFTP and FTP.
actor FileTransferWorker {
    enum Kind: Sendable {
        case put(FileSlice, final: String), digest(upTo: UInt64), list, remove
    }
    struct FileCommand: Sendable {
        var kind: Kind, path: String, password: SecretValue?
        init(_ kind: Kind, _ path: String) { (self.kind, self.path) = (kind, path) }
    }
    enum Answer: Sendable { case read(HTTPResponse), missing, untold }

    private let executor = BlockingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let handle: EasyHandle, driver: TransferDriver
    private let server: FileServer, options: TransportOptions, limiter: BandwidthLimiter?
    /// The server speaks nothing older than TLS 1.3; nil until one of them was spoken.
    private var isModern: Bool?

    init(_ server: FileServer, _ options: TransportOptions, limiter: BandwidthLimiter?) throws(IngestError) {
        handle = try EasyHandle()
        driver = try TransferDriver()
        (self.server, self.options, self.limiter) = (server, options, limiter)
    }

    /// Blocks the worker's own thread until it is done.
    func perform(_ command: FileCommand, _ stop: StopFlag) throws(IngestError) -> Answer {
        if stop.isRaised { throw IngestError(.cancelled, "Stopped before sending.") }
        defer { handle.reset() }
        if let key = server.key, command.password == nil, access(key, R_OK) != 0 {
            throw IngestError(
                .unauthorized, "The private key \(key) cannot be read: \(String(cString: strerror(errno))).",
                advice: "Name the account's key with `key`, or make it readable for the user that runs this.")
        }
        var (code, transfer) = try fly(command, stop)
        if server.way != .sftp, isModern == nil {
            if code == CURLE_SSL_CONNECT_ERROR {
                isModern = true
                (code, transfer) = try fly(command, stop)
                // A line that breaks in mid-handshake looks the same: only what works is kept to.
                if code == CURLE_SSL_CONNECT_ERROR { isModern = nil }
            } else if code == CURLE_OK {
                isModern = false
            }
        }
        return try judge(code, transfer, command)
    }

    private func fly(_ command: FileCommand, _ stop: StopFlag) throws(IngestError) -> (CURLcode, CurlTransfer) {
        handle.reset()
        configure(command.password)
        var exchange = HTTPExchange(HTTPRequest("GET", "")), body: BodyReader?, commands = HeaderLines()
        // Removing needs a transfer to hang on: a folder's listing is the smallest.
        var address = command.path
        switch command.kind {
        case .put(let slice, let final):
            body = try BodyReader(.file(slice))
            handle.set(CURLOPT_UPLOAD, 1)
            handle.set(CURLOPT_INFILESIZE_LARGE, bytes: slice.length)
            handle.set(CURLOPT_FTP_CREATE_MISSING_DIRS, fg_make_folders)
            for command in renaming(command.path, to: final) { try commands.append(command) }
            _ = fg_set_list(handle.raw, CURLOPT_POSTQUOTE, commands.raw)
        case .digest(let limit): exchange.reception = .digest(upTo: limit)
        case .list:
            handle.set(CURLOPT_DIRLISTONLY, 1)
            exchange.reception = .collect(16 << 20)
        case .remove:
            for command in removing(command.path) { try commands.append(command) }
            // By FTP only once libcurl stands in the file's folder: on a connection that was used before it may begin
            // in any other.
            _ = fg_set_list(handle.raw, server.way == .sftp ? CURLOPT_QUOTE : CURLOPT_POSTQUOTE, commands.raw)
            handle.set(CURLOPT_NOBODY, 1)
            address = address.utf8.lastIndex(of: 0x2F).map { String(address[...$0]) } ?? ""
        }
        handle.set(CURLOPT_URL, server.url(address))
        let transfer = CurlTransfer(exchange, body: body, options: options, limiter: limiter, stop: stop)
        transfer.attach(to: handle)
        let code = withExtendedLifetime(commands.raw) {
            withExtendedLifetime(transfer) { driver.perform(handle) { transfer.hasMoved } }
        }
        return (code, transfer)
    }

    private func judge(_ code: CURLcode, _ transfer: CurlTransfer, _ command: FileCommand) throws(IngestError) -> Answer
    {
        let reply = handle.number(CURLINFO_RESPONSE_CODE), words = handle.explanation(of: code)
        let isPut = transfer.body != nil
        var isList = false
        if case .list = command.kind { isList = true }
        // libcurl takes 450 for an empty folder; servers say it of one that they cannot list at the moment, too. vsftpd
        // lists one that it may not open as an empty one: "226 Transfer done (but failed to open directory)."
        let isDoubtful = isList && (reply == 450 || transfer.lastLine.lowercased().contains("fail"))
        if transfer.isOver(code) { return isDoubtful ? .untold : .read(transfer.received) }
        if let reason = transfer.reason(code) { throw reason }
        if FileFailure.isPutOff(code, reply) { throw FileFailure.putOff(at: server, reply, words: words) }
        // FTP says the same of an empty folder and of one that may not be listed.
        if isList, code == CURLE_FTP_COULDNT_RETR_FILE { return .untold }
        // SFTP says of no missing folder that it is forbidden; FTP says both in the same words.
        if isList, code == CURLE_REMOTE_ACCESS_DENIED, server.way == .sftp { return .untold }
        if FileFailure.isMissing(code, isPut: isPut) { return .missing }
        throw FileFailure.error(code, at: server, reply, words: words)
    }

    private func configure(_ password: SecretValue?) {
        handle.set(CURLOPT_PROTOCOLS_STR, server.way.rawValue)
        handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, options.connect.inSeconds * 1000)))
        handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(max(1, options.answer.inSeconds)))
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
        handle.set(CURLOPT_USERNAME, server.user)
        if let password { handle.set(CURLOPT_PASSWORD, password.reveal()) }
        if server.way == .sftp {
            handle.set(CURLOPT_SSH_AUTH_TYPES, fg_ssh_key_and_password)
            // Without this file libcurl would trust any host.
            handle.set(CURLOPT_SSH_KNOWNHOSTS, server.knownHosts ?? "/dev/null")
            if let key = server.key { handle.set(CURLOPT_SSH_PRIVATE_KEYFILE, key) }
        } else {
            if !server.cleartext { handle.set(CURLOPT_USE_SSL, fg_ftp_all_tls) }
            handle.set(CURLOPT_SSL_VERIFYPEER, 1)
            handle.set(CURLOPT_SSL_VERIFYHOST, 2)
            // By TLS 1.3 the server's tickets come when the transfer is under way, and libcurl closes with them unread:
            // that resets the connection, and the server has lost the end of most files below the size of the sockets'
            // buffers (vsftpd: 426).
            handle.set(CURLOPT_SSLVERSION, isModern == true ? fg_tls_1_2 : fg_tls_1_2_only)
            if let authorities = options.authorities {
                handle.set(CURLOPT_CAINFO, authorities)
                handle.set(CURLOPT_CAPATH, nil)
            }
        }
    }

    private func renaming(_ path: String, to final: String) -> [String] {
        server.way == .sftp
            ? ["rename \(Self.quoted(path)) \(Self.quoted(final))"]
            : ["RNFR \(Self.base(path))", "RNTO \(Self.base(final))"]
    }

    private func removing(_ path: String) -> [String] {
        server.way == .sftp ? ["*rm \(Self.quoted(path))"] : ["*DELE \(Self.base(path))"]
    }

    /// libcurl stands in the file's folder after an upload by FTP.
    private static func base(_ path: String) -> String {
        path.utf8.lastIndex(of: 0x2F).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    private static func quoted(_ path: String) -> String {
        "\"" + path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// What libcurl's result codes mean for servers of files.
enum FileFailure {
    static func isMissing(_ code: CURLcode, isPut: Bool) -> Bool {
        !isPut
            && (code == CURLE_REMOTE_FILE_NOT_FOUND || code == CURLE_FTP_COULDNT_RETR_FILE
                || code == CURLE_REMOTE_ACCESS_DENIED)
    }

    /// FTP's replies from 400 to 499 mean "not now": a file that is in use, a connection too many.
    ///
    /// What was asked for may well be there; taken for missing, it would be replaced.
    static func isPutOff(_ code: CURLcode, _ reply: Int) -> Bool {
        switch code {
        case CURLE_FTP_COULDNT_RETR_FILE, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_REMOTE_ACCESS_DENIED:
            (400..<500).contains(reply)
        // What libcurl makes of 421: the server is about to close the connection.
        case CURLE_LOGIN_DENIED, CURLE_OPERATION_TIMEDOUT: reply == 421
        default: false
        }
    }

    static func putOff(at server: FileServer, _ reply: Int, words: String) -> IngestError {
        let reason = reply == 421 ? "it has too many connections, or is being shut down (421)" : words
        return IngestError(.unavailable, "\(server.origin) asks to come back later: \(reason).")
    }

    static func error(_ code: CURLcode, at server: FileServer, _ reply: Int, words: String) -> IngestError {
        let place = server.origin
        let room =
            "Where that goes on, see whether the disk there is full, and whether the account may write into the folder."
        switch code {
        // FTP's "insufficient storage" and "exceeded storage allocation" (RFC 959 §4.2).
        case _ where server.way != .sftp && (reply == 452 || reply == 552):
            return IngestError(.storageFull, "\(place) has no room left: \(words).")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM:
            if server.way == .sftp { return HostKeys.error(server) }
            return IngestError(
                .untrusted, "\(place) cannot prove who it is: \(words). Nothing was sent.",
                advice: "If this is your own server, name its authority with `ca_file`.")
        case CURLE_LOGIN_DENIED:
            return IngestError(
                .unauthorized, "\(place) does not accept the sign-in: \(words).",
                advice: "Check user and key or password.")
        case CURLE_REMOTE_ACCESS_DENIED:
            return IngestError(
                .unauthorized, "\(place) does not allow that: \(words).", advice: "Check the account's rights there.")
        case CURLE_REMOTE_DISK_FULL: return IngestError(.storageFull, "\(place) has no room left: \(words).")
        case CURLE_REMOTE_FILE_EXISTS: return IngestError(.nameTaken, "The name is in use at \(place): \(words).")
        case CURLE_QUOTE_ERROR: return IngestError(.nameTaken, "\(place) did not rename the file: \(words).")
        case CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST:
            return IngestError(
                .unavailable, "\(place) opens no port for transfers: \(words).",
                advice:
                    "Switch passive mode (EPSV or PASV) on at the server; Filmgate opens no port here for a server to connect to."
            )
        case CURLE_UPLOAD_FAILED, CURLE_REMOTE_FILE_NOT_FOUND:
            return IngestError(.unavailable, "\(place) did not take the file: \(words).", advice: room)
        // Told at the end of a transfer; 426 is a connection that broke.
        case CURLE_PARTIAL_FILE where reply >= 400 && reply != 426:
            return IngestError(.unavailable, "\(place) did not take the file: \(words).", advice: room)
        // SFTP has no word for a full disk (version 3: SSH_FX_FAILURE).
        case CURLE_SSH, CURLE_PARTIAL_FILE:
            return IngestError(.network, "The transfer with \(place) broke off: \(words).", advice: room)
        default: return IngestError(.network, "No answer from \(place): \(words).")
        }
    }
}
