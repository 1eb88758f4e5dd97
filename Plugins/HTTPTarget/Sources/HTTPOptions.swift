public import FilmgateCore
import HTTPKit

/// The options of `http`.
public struct HTTPOptions: ModuleConfig {
    enum Method: String, CaseIterable, ConfigValue { case put = "PUT", post = "POST", patch = "PATCH" }
    enum Unseen: String, CaseIterable, ConfigValue { case hold, send }
    enum BodyStyle: String, CaseIterable, ConfigValue { case raw, multipart }

    var url = AddressTemplate(), method: Method?, body: BodyStyle?, auth: AuthReference?, account: String?
    var fileField = "file", fields: [String: Template] = [:], headers: [String: Template] = [:]
    var sendDigest: [DigestHeader] = []
    var expect = [200, 201, 204], exists = [409, 412], ifNoneMatch: Bool?
    var deduplicates = false, believesPages = false, unseen = Unseen.send
    var receipt = ReceiptOptions(), digest: DigestEcho?, find: FindOptions?, preferences = AddressTemplate()
    var accept: [MediaKind]?, maxSize: ByteCount?, workers = 4, limitRate: ByteCount?, caFile: String?
    var connectTimeout = Duration.seconds(10), stallTimeout = Duration.seconds(60)
    var answerTimeout = Duration.seconds(120)

    public init() {}

    public static let schema: Schema<Self> = [
        .field("url", \.url, "Where to send to; variables in the path name the file at the server.").required(),
        .field("auth", \.auth, "The entry under `auth:` that signs the requests."),
        .field("account", \.account, WebOptions.accountHelp),
        .field("method", \.method, "HTTP method; absent = PUT where the path has variables, else POST."),
        .field(
            "body", \.body,
            "The bare file, or a form with the file as one field; absent = raw for PUT, multipart for POST."),
        .field("file_field", \.fileField, "Name of the form field that carries the file."),
        .field("fields", \.fields, "Further form fields, as templates."),
        .field("headers", \.headers, "Further headers, as templates; credentials belong under `auth`."),
        .field("send_digest", \.sendDigest, "Digest headers to send, for servers that check them."),
        .field("expect", \.expect, "Answers that mean: stored."),
        .field(
            "exists", \.exists,
            "Answers that mean: something is there already; counts only when digest or `find` confirms it."),
        .field(
            "if_none_match", \.ifNoneMatch, "Sends `If-None-Match: *`, which forbids overwriting; absent = for PUT."),
        .field(
            "unseen", \.unseen,
            "Where the server does not show what exists at a name: `send`, trusting it to keep If-None-Match, or `hold` the queue."
        ),
        .field("deduplicates", \.deduplicates, "The server itself never stores the same bytes twice."),
        .field("believe_pages", \.believesPages, "A web page (HTML) as the answer to an upload means: stored."),
        .field("receipt", \.receipt, "Where the answer says what the file is called there."),
        .field("digest", \.digest, "Where the answer repeats the digest of what the server stored; equal = proof."),
        .field("find", \.find, "How to ask the server whether it has the bytes already."),
        .field(
            "preferences", \.preferences,
            "Where the account's preferences, a JSON object, are read (GET) and written (PUT): chosen event, measured clocks."
        ),
        .field("accept", \.accept, "Kinds of file that the server takes; absent = all."),
        .field("max_size", \.maxSize, "Larger files are filtered for this target."),
        .field("workers", \.workers, in: 1...32, "Uploads at once, each over its own connection."),
        .field("limit_rate", \.limitRate, "Bytes per second for all uploads together; absent = no limit."),
        .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
        .field("connect_timeout", \.connectTimeout, in: .seconds(1)...(.seconds(300)), "How long connecting may take."),
        .field(
            "stall_timeout", \.stallTimeout, in: .seconds(1)...(.seconds(3600)), "How long an upload may stand still."),
        .field(
            "answer_timeout", \.answerTimeout, in: .seconds(1)...(.seconds(3600)),
            "How long the server may think after the last byte."),
    ]

    /// What applies after the defaults that depend on other options.
    var verb: Method { method ?? (url.layout == nil ? .post : .put) }
    var style: BodyStyle { body ?? (verb == .post ? .multipart : .raw) }
    var forbidsOverwriting: Bool { ifNoneMatch ?? (verb == .put) }

    /// Each file is PUT to an address of its own, which is its address from then on (RFC 9110 §9.3.4); where a POST
    /// goes need not be.
    var namesByPath: Bool { verb == .put && url.layout?.uses.isDisjoint(with: Self.distinguishing) == false }

    /// A name made of the digest can only be held by the same bytes.
    var isNamedByDigest: Bool { url.layout?.uses.contains("sha256") == true }

    /// Others may put other files under the names that these are PUT to: each is looked at right before.
    var needsLook: Bool { namesByPath && !isNamedByDigest }

    /// All templates that it fills in.
    var templates: [Template] {
        [url.layout, url.query, find?.url.layout, find?.url.query].compactMap { $0 } + fields.values + headers.values
    }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        func mistake(_ key: String, _ message: String, hint: String? = nil) -> ConfigError {
            ConfigError(node[key]?.mark ?? node.mark, "bad-option", message, hint: hint)
        }
        if verb == .put, url.uses.isDisjoint(with: Self.distinguishing) {
            throw mistake(
                "url", "With PUT every file would overwrite the one before.",
                hint: "Put {name} or {sha256} into the address, or use POST.")
        }
        if !preferences.uses.isEmpty {
            throw mistake("preferences", "The address of the preferences has no variables.")
        }
        if node["preferences"] != nil, auth == nil {
            throw mistake(
                "preferences", "Preferences belong to an account.",
                hint: "Name an entry under `auth:` with `auth: NAME`.")
        }
        if style == .raw, !fields.isEmpty || node["file_field"] != nil {
            throw mistake("fields", "Form fields need `body: multipart`.")
        }
        if let name = headers.keys.sorted().first(where: {
            !HeaderText.isName($0) || Self.forbiddenHeaders.contains($0.lowercased())
        }) {
            throw mistake(
                "headers", "`\(name)` cannot be set here.",
                hint: "Credentials belong under `auth`; lengths are set by themselves.")
        }
        for (key, codes, range) in [("expect", expect, 200...399), ("exists", exists, 200...499)] {
            if let wrong = codes.first(where: { !range.contains($0) }) {
                throw mistake(key, "\(wrong) is no such answer.")
            }
        }
        if let both = expect.first(where: exists.contains) {
            throw mistake("exists", "\(both) cannot mean both stored and already there.")
        }
    }

    /// Variables that tell two files apart.
    private static let distinguishing: Set<String> = [
        "name", "stem", "shot", "counter", "sha256", "sha1", "md5", "captured",
    ]
    private static let forbiddenHeaders = HeaderText.framing.union([
        "authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token",
    ])
}
