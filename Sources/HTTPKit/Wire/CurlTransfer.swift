import CCurl
import FilmgateCore

/// One transfer while it is under way: what libcurl's callbacks read and fill.
///
/// Lives on its worker's thread.
final class CurlTransfer {
    let body: BodyReader?
    private let exchange: HTTPExchange
    private let limiter: BandwidthLimiter?
    private let stop: StopFlag
    private var watch: StallWatch
    private var answer = AnswerReader()
    private var failure: IngestError?
    private var reported: UInt64 = 0, moved: UInt64 = 0
    private let progressSignal = ProgressSignal.current
    private let sendRight = SendRight.current, begun = ContinuousClock.now, race: Duration

    init(
        _ exchange: HTTPExchange, body: BodyReader?, options: TransportOptions, limiter: BandwidthLimiter?,
        stop: StopFlag
    ) {
        (self.exchange, self.body, self.limiter, self.stop) = (exchange, body, limiter, stop)
        race = options.race
        watch = StallWatch(options, hasBody: body.map { $0.length > 0 } ?? false)
        answer.reception = exchange.reception
    }

    /// A status line came in.
    var hasAnswer: Bool { answer.hasBegun }
    /// Bytes of the body have gone out or come in.
    var hasMoved: Bool { moved > 0 }
    /// The same may be sent at once over another connection, unasked.
    var mayBeRepeated: Bool { sendRight?.isValid ?? true && ContinuousClock.now - begun < race }
    /// Stopped for a reason of our own.
    var hasFailed: Bool { failure != nil || stop.isRaised }

    /// Connects the callbacks; the object must outlive the transfer.
    func attach(to handle: borrowing EasyHandle) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        if body != nil {
            _ = fg_set_pointer(handle.raw, CURLOPT_READDATA, me)
            _ = fg_set_read(handle.raw) { buffer, size, count, me in CurlTransfer.at(me).give(buffer, size * count) }
            _ = fg_set_pointer(handle.raw, CURLOPT_SEEKDATA, me)
            _ = fg_set_seek(handle.raw) { me, offset, origin in CurlTransfer.at(me).rewind(to: offset, origin) }
        }
        _ = fg_set_pointer(handle.raw, CURLOPT_WRITEDATA, me)
        _ = fg_set_write(handle.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
            CurlTransfer.at(me).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = fg_set_pointer(handle.raw, CURLOPT_HEADERDATA, me)
        _ = fg_set_write(handle.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
            CurlTransfer.at(me).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        handle.set(CURLOPT_NOPROGRESS, 0)
        _ = fg_set_pointer(handle.raw, CURLOPT_XFERINFODATA, me)
        _ = fg_set_progress(handle.raw) { me, _, received, _, sent in
            CurlTransfer.at(me).tick(sent: UInt64(max(0, sent)), UInt64(max(0, received)))
        }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer {
        // `attach` set this very pointer, and the caller of the transfer holds the object.
        Unmanaged<CurlTransfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }

    private func give(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let body, let buffer, !stop.isRaised else { return fg_read_abort }
        let room = limiter?.take(upTo: count, body.length - body.handedOver, stop: stop) ?? count
        do throws(IngestError) {
            return try body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
        } catch {
            failure = error
            return fg_read_abort
        }
    }

    /// libcurl rewinds when it repeats a request by itself on a connection that died.
    ///
    /// Once the server may have the whole request, or a while later, that could make a second asset: then the transfer
    /// fails instead, and the target asks before sending again.
    private func rewind(to offset: curl_off_t, _ origin: CInt) -> CInt {
        guard let body, offset == 0, origin == 0, !body.finished, mayBeRepeated else {
            return CInt(CURL_SEEKFUNC_FAIL)
        }
        body.restart()
        return CInt(CURL_SEEKFUNC_OK)
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int { answer.take(bytes) ? bytes.count : 0 }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        if answer.takeHeader(bytes) { return bytes.count }
        failure = IngestError(.unavailable, "The server's answer has more headers than can be right.")
        return 0
    }

    private func tick(sent: UInt64, _ received: UInt64) -> CInt {
        if stop.isRaised { return 1 }
        if sent + received > moved {
            moved = sent + received
            progressSignal?.note()
        }
        if sent > reported {
            reported = sent
            exchange.progress?(sent)
        }
        let allSent = body.map { sent >= $0.length } ?? true
        if failure == nil { failure = watch.check(moved: sent + received, allSent: allSent) }
        // What the server has in full is not broken off: it is there.
        if failure == nil, !allSent, sendRight?.isLost == true { failure = SendRight.error }
        return failure == nil ? 0 : 1
    }

    /// For servers that do not speak HTTP: all is here, or all that is wanted.
    func isOver(_ code: CURLcode) -> Bool {
        failure == nil && (code == CURLE_OK || (code == CURLE_WRITE_ERROR && answer.truncated))
    }

    /// What the server said at last, where it speaks in lines.
    var lastLine: String { answer.lastLine }

    var received: HTTPResponse { answer.response(status: 0, url: "") }

    /// Why we ended it ourselves; nil when the server or the network did.
    func reason(_ code: CURLcode) -> IngestError? {
        stop.isRaised ? IngestError(.cancelled, "Stopped while sending.") : failure
    }

    /// The answer, or why there is none.
    func conclude(
        _ code: CURLcode, status: Int, sent: UInt64, at address: WebAddress, otherwise failed: () -> IngestError
    ) throws(IngestError) -> HTTPResponse {
        if stop.isRaised, code != CURLE_OK {
            throw IngestError(.cancelled, "Stopped while sending to \(address.origin).")
        }
        if let failure { throw failure }
        // A server may refuse while the body is still on its way and hang up: its answer counts, not the broken pipe
        // after it.
        let refusedEarly = status >= 400 && answer.isComplete && (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR)
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && answer.truncated) || refusedEarly else {
            throw failed()
        }
        var response = answer.response(status: status, url: address.text)
        response.isEarly = body.map { sent < $0.length } ?? false
        response.wasRepeated = body.map { $0.restarts > 0 } ?? false
        // libcurl stops sending when such an answer also ends the connection, and calls that success.
        if response.isEarly, (200..<300).contains(status), !exchange.mayEndEarly {
            throw IngestError(
                .network,
                "\(address.origin) answered \(status) when it had \(sent) of \(body?.length ?? 0) bytes: that is no delivery."
            )
        }
        return response
    }
}
