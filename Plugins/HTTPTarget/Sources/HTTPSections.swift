import FilmgateCore
import HTTPKit

/// Where an answer says what the file is called at the server.
struct ReceiptOptions: ConfigSection {
    var idJSON = "id", idHeader = "", urlJSON = "url", urlHeader = "Location", existedJSON = "duplicate"

    static let schema: Schema<Self> = [
        .field("id_json", \.idJSON, "Path of the file's id in a JSON answer: `data.id`."),
        .field("id_header", \.idHeader, "Header with the file's id."),
        .field("url_json", \.urlJSON, "Path of the file's address in a JSON answer."),
        .field("url_header", \.urlHeader, "Header with the file's address."),
        .field("existed_json", \.existedJSON, "Path of a JSON true that means: the server had the bytes already."),
    ]
}

/// Where an answer repeats a digest.
///
/// Only to be set when the server computes it from the bytes that it stored.
struct DigestEcho: ConfigSection {
    var algorithm = DigestAlgorithm.sha256, header = "", json = ""

    static let schema: Schema<Self> = [
        .field("algorithm", \.algorithm, "The digest's algorithm."),
        .field("header", \.header, "Header with the digest, in hexadecimal or Base64."),
        .field("json", \.json, "Path of the digest in a JSON answer."),
    ]

    func validate(at node: ConfigNode) throws(ConfigError) {
        if header.isEmpty == json.isEmpty {
            throw ConfigError(node.mark, "bad-option", "Name either `header` or `json`.")
        }
        if algorithm == .xxh128 {
            throw ConfigError(node["algorithm"]?.mark ?? node.mark, "bad-option", "XXH128 proves nothing to others.")
        }
    }
}

/// How to ask whether the server has the bytes already.
struct FindOptions: ConfigSection {
    enum Method: String, CaseIterable, ConfigValue { case head = "HEAD", get = "GET" }
    var url = AddressTemplate(), method = Method.head, found = [200], missing = [404], digest: DigestEcho?

    static let schema: Schema<Self> = [
        .field("url", \.url, "Address to ask, with {sha256}, {sha1} or {md5} in it.").required(),
        .field("method", \.method, "HEAD, or GET where the answer's JSON is wanted."),
        .field("found", \.found, "Answers that mean: it has them."),
        .field("missing", \.missing, "Answers that mean: it has not."),
        .field("digest", \.digest, "Where the answer repeats the digest; needed when the address holds none."),
    ]

    var byDigest: Bool { !url.uses.isDisjoint(with: ["sha256", "sha1", "md5"]) }

    /// Whether all is known that the address asks for: with a gap in it, a no would be about something else.
    func isFilled(by values: TemplateValues) -> Bool {
        [url.layout, url.query].allSatisfy { $0?.isFilled(by: values) ?? true }
    }

    func validate(at node: ConfigNode) throws(ConfigError) {
        guard byDigest || digest != nil else {
            throw ConfigError(
                node["url"]?.mark ?? node.mark, "bad-option",
                "An answer to this address would not be about the file's bytes.",
                hint: "Put {sha256} into it, or say with `digest` where the answer repeats the digest.")
        }
        if digest?.json.isEmpty == false, method == .head {
            throw ConfigError(node["method"]?.mark ?? node.mark, "bad-option", "A HEAD answer has no JSON: use GET.")
        }
    }
}

/// Digest headers that servers check on arrival.
enum DigestHeader: String, CaseIterable, ConfigValue {
    /// RFC 9530.
    case contentDigest = "content-digest"
    /// RFC 3230, still the commonest.
    case digest
    /// RFC 1864.
    case contentMD5 = "content-md5"

    var algorithm: DigestAlgorithm { self == .contentMD5 ? .md5 : .sha256 }

    /// The header for a digest in hexadecimal; nil when there is none.
    func header(_ digests: Digests) -> (name: String, value: String)? {
        guard let bytes = digests[algorithm].flatMap({ Hex.bytes($0) }) else { return nil }
        let text = Base64.text(of: bytes)
        return switch self {
        case .contentDigest: ("Content-Digest", "sha-256=:\(text):")
        case .digest: ("Digest", "sha-256=\(text)")
        case .contentMD5: ("Content-MD5", text)
        }
    }
}
