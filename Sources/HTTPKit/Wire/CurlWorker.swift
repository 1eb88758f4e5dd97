import CCurl
import FilmgateCore
import Glibc

/// One libcurl handle on a thread queue of its own: carries one transfer at a time and keeps its connections for the
/// next.
actor CurlWorker {
    private let executor = BlockingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Bytes from which on a body is sent with a larger buffer.
    private static let large: UInt64 = 4 << 20

    private let handle: EasyHandle
    private let options: TransportOptions
    private let limiter: BandwidthLimiter?

    init(_ options: TransportOptions, limiter: BandwidthLimiter?) throws(IngestError) {
        handle = try EasyHandle()
        (self.options, self.limiter) = (options, limiter)
    }

    /// Blocks the worker's own thread until the answer is there or the transfer has failed.
    func perform(_ exchange: HTTPExchange, stop: StopFlag) throws(IngestError) -> HTTPResponse {
        if stop.isRaised { throw IngestError(.cancelled, "Stopped before sending.") }
        guard let address = WebAddress(exchange.request.url) else {
            throw IngestError(.misconfigured, "`\(exchange.request)` is not an address that can be sent to.")
        }
        let body = try exchange.body.map(BodyReader.init)
        var lines = HeaderLines()
        for line in try Self.lines(of: exchange) { try lines.append(line) }
        handle.reset()
        defer { handle.reset() }
        configure(address)
        describe(exchange.request, body: body)
        _ = fg_set_list(handle.raw, CURLOPT_HTTPHEADER, lines.raw)
        if body?.length ?? 0 > 0 { try SendRight.current?.begin() }
        var (code, transfer) = run(exchange, body, stop)
        if metAnEnd(code, transfer) {
            body?.restart()
            handle.set(CURLOPT_FRESH_CONNECT, 1)
            (code, transfer) = run(exchange, body, stop)
        }
        let sent = handle.sent(), status = handle.number(CURLINFO_RESPONSE_CODE)
        return try transfer.conclude(code, status: status, sent: sent, at: address) { failure(code, at: address) }
    }

    private func failure(_ code: CURLcode, at address: WebAddress) -> IngestError {
        let words = handle.explanation(of: code), connect = handle.number(CURLINFO_HTTP_CONNECTCODE)
        let proxy = ProxyFailure(for: address) { name in getenv(name).map { String(cString: $0) } }
        return proxy?.error(code, connect: connect, at: address, words: words)
            ?? CurlFailure.error(code, at: address, words: words)
    }

    private func run(_ exchange: HTTPExchange, _ body: BodyReader?, _ stop: StopFlag) -> (CURLcode, CurlTransfer) {
        let transfer = CurlTransfer(exchange, body: body, options: options, limiter: limiter, stop: stop)
        transfer.attach(to: handle)
        return (withExtendedLifetime(transfer) { curl_easy_perform(handle.raw) }, transfer)
    }

    /// A kept connection that the server was just closing: no answer, not the whole body on its way, and not long ago.
    ///
    /// Only then a second try is harmless.
    private func metAnEnd(_ code: CURLcode, _ transfer: CurlTransfer) -> Bool {
        guard let body = transfer.body, code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR else { return false }
        return handle.number(CURLINFO_NUM_CONNECTS) == 0 && handle.sent() < body.length && !transfer.hasAnswer
            && !transfer.hasFailed && transfer.mayBeRepeated
    }

    private func configure(_ address: WebAddress) {
        handle.set(CURLOPT_URL, address.text)
        handle.set(CURLOPT_PATH_AS_IS, 1)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_USERAGENT, options.agent)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, options.connect.inSeconds * 1000)))
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        // Servers commonly hang up after 60 to 75 idle seconds: do not race with that.
        handle.set(CURLOPT_MAXAGE_CONN, 50)
        handle.set(CURLOPT_HTTP_VERSION, options.version == .http1 ? fg_http_1_1 : fg_http_auto)
        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        handle.set(CURLOPT_SSLVERSION, fg_tls_1_2)
        if let authorities = options.authorities {
            handle.set(CURLOPT_CAINFO, authorities)
            handle.set(CURLOPT_CAPATH, nil)
        }
        // A proxy from the environment is for the world outside, never for this machine.
        if address.isLoopback { handle.set(CURLOPT_PROXY, "") }
    }

    private func describe(_ request: HTTPRequest, body: BodyReader?) {
        if let body {
            handle.set(CURLOPT_UPLOAD, 1)
            handle.set(CURLOPT_INFILESIZE_LARGE, bytes: body.length)
            // libcurl makes this buffer anew for every request. Below what malloc maps by itself that costs least
            // (`fg_memory_keep_steady`); a large file is worth more, as every turn asks all its sockets for news.
            handle.set(CURLOPT_UPLOAD_BUFFERSIZE, body.length < Self.large ? 64 << 10 : 256 << 10)
        } else if request.method == "HEAD" {
            handle.set(CURLOPT_NOBODY, 1)
        } else {
            handle.set(CURLOPT_HTTPGET, 1)
        }
        // With nothing to rewind libcurl would repeat a request by itself on a connection that died: only for what may
        // be asked twice.
        let repeatable = body == nil && request.method != "POST" && request.method != "PATCH"
        if !repeatable, body?.length ?? 0 == 0 { handle.set(CURLOPT_FRESH_CONNECT, 1) }
        if request.method != "HEAD" { handle.set(CURLOPT_CUSTOMREQUEST, request.method) }
    }

    /// Header lines for libcurl: none that could start a second header, and no `Expect`, which costs a second per file
    /// at servers that ignore it.
    private static func lines(of exchange: HTTPExchange) throws(IngestError) -> [String] {
        var lines = ["Expect:", "Transfer-Encoding:"]
        var headers = exchange.request.headers
        if let type = exchange.body?.type, exchange.request[header: "Content-Type"] == nil {
            headers.append(("Content-Type", type))
        }
        for (name, value) in headers {
            guard HeaderText.isName(name), HeaderText.isValue(value) else {
                throw IngestError(
                    .misconfigured, "The header `\(HeaderText.clean(name))` holds characters that no header may have.")
            }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        return lines
    }
}
