/// Somebody wants in, and the studio's own program or service knows whether they may.
public struct LoginQuestion: Sendable {
    public var user: String, password: SecretValue
    /// Where they come from.
    public var address: String

    public init(user: String, password: SecretValue, address: String) {
        (self.user, self.password, self.address) = (user, password, address)
    }
}

/// What that program or service says.
public enum LoginAnswer: Sendable, Hashable {
    case refused
    case granted(LoginGrant)
}

/// What belongs to a login.
public struct LoginGrant: Sendable, Hashable {
    /// The first part of its files' paths; nil: the user's name.
    public var folder: String?
    /// What its files were taken at; nil: the event of the run.
    public var event: String?
    /// Until when it holds, in seconds since 1970; nil: as long as somebody is connected.
    public var expires: Int64?

    public init(folder: String? = nil, event: String? = nil, expires: Int64? = nil) {
        (self.folder, self.event, self.expires) = (folder, event, expires)
    }
}

/// A program or a web service that knows who may log in.
public protocol LoginService: Sendable {
    /// Throws where there was no answer, which is nobody's fault who wants in. Neither the answer nor the error holds
    /// the password.
    func answer(_ question: LoginQuestion) async throws(IngestError) -> LoginAnswer
}

/// Makes such services, for modules that ask one.
public protocol LoginServices: Sendable {
    /// A program that is started for each question.
    func program(_ words: [String], timeout: Duration) -> any LoginService
    /// An address that each question is posted to; `token` goes with it where there is one.
    func web(_ url: String, token: SecretValue?, caFile: String?, timeout: Duration) -> any LoginService
}

extension LoginQuestion {
    /// As programs and services are told it: one line of JSON, for a stream that nobody else reads.
    public var body: [UInt8] {
        let object: JSONObject = [
            "protocol": .integer(1), "action": "login", "user": .string(user), "password": .string(password.reveal()),
            "address": .string(address),
        ]
        return Array((JSONValue.object(object).serialized + "\n").utf8)
    }
}

extension LoginAnswer {
    private static let longest = 200

    /// `{"ok": true, "folder": …, "event": …, "expires_in": …}`; throws a sentence's end for anything else.
    ///
    /// `now` in seconds since 1970.
    public init(_ bytes: [UInt8], at now: Int64) throws(IngestError) {
        guard let json = JSONValue(bytes), let isRight = json["ok"]?.flag else {
            throw Self.fault("is no JSON object with `ok`: true or false")
        }
        guard isRight else {
            self = .refused
            return
        }
        var grant = LoginGrant(folder: try Self.name("folder", json), event: try Self.name("event", json))
        if let given = json["expires_in"], given != .null {
            guard let seconds = given.whole, (0...315_360_000).contains(seconds) else {
                throw Self.fault("has an `expires_in` that is no number of seconds")
            }
            grant.expires = now + seconds
        }
        if let given = json["expires_at"], given != .null {
            guard let moment = given.whole, moment >= 0 else {
                throw Self.fault("has an `expires_at` that is no moment, in seconds since 1970")
            }
            grant.expires = min(moment, grant.expires ?? moment)
        }
        self = .granted(grant)
    }

    /// A name that can be written down and shown; nil where there is none.
    private static func name(_ key: String, _ json: JSONValue) throws(IngestError) -> String? {
        guard let given = json[key], given != .null, given != "" else { return nil }
        guard let text = given.text, (1...longest).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else { throw fault("has a `\(key)` that is no name of at most \(longest) bytes") }
        return text
    }

    private static func fault(_ what: String) -> IngestError {
        IngestError(.unavailable, "what it answered \(what)")
    }
}
