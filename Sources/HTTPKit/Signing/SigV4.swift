import CCurl
import CryptographyKit
public import FilmgateCore
import Glibc

/// AWS Signature Version 4 in a request's headers, as S3 wants it (paths are encoded once).
///
/// Signs every header that the request has, and `host`. The body counts by the header `x-amz-content-sha256`: set it to
/// the digest in hexadecimal; absent, `UNSIGNED-PAYLOAD` is sent, which servers take over TLS only or by their own
/// choice.
public struct SigV4: Sendable {
    public var region: String, service: String

    public init(region: String, service: String = "s3") { (self.region, self.service) = (region, service) }

    /// The request with `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token` where needed, and `Authorization`;
    /// what stood there under these names before is replaced.
    ///
    /// The address is rewritten into the spelling that was signed.
    ///
    /// `misconfigured` for an address that is none.
    public func sign(_ request: HTTPRequest, with keys: AWSKeys, at unixSeconds: Int) throws(IngestError) -> HTTPRequest
    {
        guard let address = WebAddress(request.url) else {
            throw IngestError(.misconfigured, "\(request) is not a web address.")
        }
        let time = Self.stamp(unixSeconds), path = Percent.canonical(path: address.path)
        let query = Self.canonical(query: address.query)
        var signed = request
        signed.url = address.origin + path + (query.isEmpty ? "" : "?" + query)
        signed.headers.removeAll { Self.replaced.contains($0.name.lowercased()) }
        signed.set("x-amz-date", time)
        if signed[header: "x-amz-content-sha256"] == nil { signed.set("x-amz-content-sha256", "UNSIGNED-PAYLOAD") }
        if let token = keys.sessionToken { signed.set("x-amz-security-token", token.reveal()) }
        let headers = Self.canonical(signed.headers, host: address.authority)
        let names = headers.map(\.name).joined(separator: ";")
        let lines = headers.map { "\($0.name):\($0.value)\n" }.joined()
        let canonical = [request.method, path, query, lines, names, signed[header: "x-amz-content-sha256"] ?? ""]
            .joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n" + Hex.text(of: ByteDigest.sha256(Array(canonical.utf8)))
        let signature = Hex.text(of: Self.hmac(key(keys.secretKey, date: String(time.prefix(8))), text))
        signed.set(
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=\(keys.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)")
        return signed
    }

    private static let replaced: Set = ["authorization", "x-amz-date", "x-amz-security-token", "host"]

    private func key(_ secret: SecretValue, date: String) -> [UInt8] {
        [date, region, service, "aws4_request"].reduce(Array("AWS4\(secret.reveal())".utf8)) { Self.hmac($0, $1) }
    }

    private static func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        MessageCode.hmacSHA256(Array(text.utf8), key: key)
    }

    /// Lower-case names in byte order, values trimmed with runs of spaces made one; several of a name are joined by
    /// commas.
    private static func canonical(_ headers: [(name: String, value: String)], host: String) -> [(
        name: String, value: String
    )] {
        var values = ["host": [host]]
        for (name, value) in headers where name.lowercased() != "expect" {
            values[name.lowercased(), default: []].append(value.split(separator: " ").joined(separator: " "))
        }
        return values.map { (name: $0.key, value: $0.value.joined(separator: ",")) }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
    }

    private static func canonical(query: String?) -> String {
        guard let query, !query.isEmpty else { return "" }
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                Percent.canonical(String($0))
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        let sorted = pairs.sorted {
            $0.0 == $1.0
                ? $0.1.utf8.lexicographicallyPrecedes($1.1.utf8) : $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
        }
        return sorted.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// `20130524T000000Z`.
    public static func stamp(_ unixSeconds: Int) -> String {
        var seconds = unixSeconds, parts = tm(), buffer = [CChar](repeating: 0, count: 32)
        gmtime_r(&seconds, &parts)
        strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
