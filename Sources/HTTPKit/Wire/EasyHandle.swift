import CCurl
import FilmgateCore
import Glibc

/// libcurl's process-wide start, done once before the first handle.
private enum CurlRuntime {
    static let started: CURLcode = {
        // OpenSSL writes to sockets without MSG_NOSIGNAL: a server that hangs up must not end the program.
        signal(SIGPIPE, SIG_IGN)
        return fg_global_init()
    }()
}

/// Owns one libcurl easy handle and its connections; freed with it.
///
/// Used by one thread at a time.
struct EasyHandle: ~Copyable {
    let raw: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>

    init() throws(IngestError) {
        guard CurlRuntime.started == CURLE_OK, let raw = curl_easy_init() else {
            throw IngestError(.unexpected, "libcurl could not be started.")
        }
        self.raw = raw
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        words.deallocate()
    }

    /// Forgets every option; connections stay open for the next request.
    borrowing func reset() {
        curl_easy_reset(raw)
        words[0] = 0
        _ = fg_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
    }

    /// libcurl's own words about the last failure.
    borrowing func explanation(of code: CURLcode) -> String {
        let text = String(cString: words)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    borrowing func set(_ option: CURLoption, _ value: Int) { _ = fg_set_long(raw, option, value) }
    borrowing func set(_ option: CURLoption, bytes value: UInt64) {
        _ = fg_set_offset(raw, option, curl_off_t(clamping: value))
    }
    borrowing func set(_ option: CURLoption, _ value: String?) { _ = fg_set_text(raw, option, value) }

    /// Bytes of the request's body that the operating system took.
    borrowing func sent() -> UInt64 {
        var value: curl_off_t = 0
        _ = fg_get_offset(raw, CURLINFO_SIZE_UPLOAD_T, &value)
        return UInt64(max(0, value))
    }

    borrowing func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = fg_get_long(raw, info, &value)
        return value
    }
}

/// A libcurl list of header lines.
struct HeaderLines: ~Copyable {
    private(set) var raw: UnsafeMutablePointer<curl_slist>?

    deinit { curl_slist_free_all(raw) }

    mutating func append(_ line: String) throws(IngestError) {
        // A name's bytes go as they are, UTF-8 or not, as they do in addresses.
        let bytes = (PathBytes.of(line) + [0]).map(CChar.init(bitPattern:))
        guard let longer = curl_slist_append(raw, bytes) else { throw IngestError(.unexpected, "Out of memory.") }
        raw = longer
    }
}
