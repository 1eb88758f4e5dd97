import CCurl

/// An absolute http or https address, taken apart by libcurl's own reader, so that what is checked is what is connected
/// to.
public struct WebAddress: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// Lower case; IPv6 in brackets.
    public let host: String
    public let port: Int
    /// Percent-encoded, begins with `/`.
    public let path: String
    /// Percent-encoded, without `?`.
    public let query: String?

    /// Nil for anything but an absolute http(s) address without user, password, spaces or control characters.
    public init?(_ text: String) { self.init(text, relativeTo: nil) }

    /// What a `Location` header stands for.
    public init?(_ text: String, relativeTo base: String?) {
        guard text.utf8.count <= 16_384, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5C }),
            let parts = AddressParts(),
            base == nil || parts.set(base ?? ""), parts.set(text),
            let scheme = parts.get(CURLUPART_SCHEME)?.lowercased(), let host = parts.get(CURLUPART_HOST)?.lowercased(),
            let port = parts.get(CURLUPART_PORT).flatMap({ Int($0) }),
            (1...65_535).contains(port), scheme == "http" || scheme == "https", !host.isEmpty
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port)
        path = parts.get(CURLUPART_PATH) ?? "/"
        query = parts.get(CURLUPART_QUERY)
    }

    /// `https://host`, with the port where it is not the scheme's own: the unit of trust.
    public var origin: String { "\(scheme)://\(authority)" }

    /// What the `Host` header says: the host, with the port where it is not the scheme's own.
    public var authority: String { host + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)") }

    /// The whole address, canonical, without a fragment.
    public var text: String { origin + path + (query.map { "?" + $0 } ?? "") }

    public var isEncrypted: Bool { scheme == "https" }

    /// This machine itself.
    public var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// A libcurl URL handle.
private struct AddressParts: ~Copyable {
    private let raw: OpaquePointer

    init?() {
        guard let raw = curl_url() else { return nil }
        self.raw = raw
    }

    deinit { curl_url_cleanup(raw) }

    borrowing func set(_ text: String) -> Bool {
        curl_url_set(raw, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK
    }

    borrowing func get(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(raw, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
