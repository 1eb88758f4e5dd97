import CCurl
import FilmgateCore

/// Owns one libcurl multi handle and the connections of what it drives; freed with it.
///
/// Used by one thread at a time, for one transfer at a time.
struct TransferDriver: ~Copyable {
    private let raw: UnsafeMutableRawPointer
    /// How long to wait for news, in milliseconds, until bytes move and afterwards.
    ///
    /// libcurl 7.88 watches only the second connection of FTP while TLS starts on it, and the server says nothing there
    /// before it has answered on the first: `curl_easy_perform` sleeps up to a second in a transfer, so it is looked
    /// often.
    private static let eager: CInt = 5, calm: CInt = 1000

    init() throws(IngestError) {
        guard let raw = curl_multi_init() else { throw IngestError(.unexpected, "libcurl could not be started.") }
        self.raw = raw
    }

    deinit { curl_multi_cleanup(raw) }

    /// Blocks until the transfer is over.
    func perform(_ handle: borrowing EasyHandle, hasMoved: () -> Bool) -> CURLcode {
        guard curl_multi_add_handle(raw, handle.raw) == CURLM_OK else { return CURLE_FAILED_INIT }
        defer { curl_multi_remove_handle(raw, handle.raw) }
        var running: CInt = 1
        while true {
            guard curl_multi_perform(raw, &running) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
            if running == 0 { break }
            curl_multi_poll(raw, nil, 0, hasMoved() ? Self.calm : Self.eager, nil)
        }
        var left: CInt = 0
        while let message = curl_multi_info_read(raw, &left) {
            if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
        }
        return CURLE_FAILED_INIT
    }
}
