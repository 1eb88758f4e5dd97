import FTPKit
import FilmgateCore

/// One login of a list.
struct PushLogin: ConfigSection {
    var user = "", password = Secret(), folder = ""
    static let schema: Schema<Self> = [
        .field("user", \.user, "The name that the camera logs in with.").required(),
        .field("password", \.password, "Its password, as a reference.").required(),
        .field("folder", \.folder, "The first part of its files' paths; absent: the user's name."),
    ]

    /// Every part is the name of a folder: nothing climbs out, and nothing silently means another place.
    func validateFolder(at mark: Mark) throws(ConfigError) {
        guard !PushFolder.isOne(folder) else { return }
        throw ConfigError(
            mark, "bad-option", "`\(folder)`, the folder of the user `\(user)`, is no folder's name.",
            hint: "Write names with / between them, without `..`, such as folder: bodies/ann.")
    }
}

/// Folders that the files of logins are shown in.
enum PushFolder {
    static func isOne(_ folder: String) -> Bool {
        let parts = folder.utf8.split(separator: 0x2F).map { String(Substring($0)) }
        return (try? FTPPath(folder, from: .root)) != nil && !parts.contains(".") && !parts.contains("..")
    }
}

/// The studio's own program or service, which is asked who may push.
struct PushAsking: ConfigSection {
    var exec = ProgramWords(), http = "", token = Secret(), caFile: String?, timeout = Duration.seconds(10)
    var plainHTTP = false
    static let schema: Schema<Self> = [
        .field(
            "exec", \.exec,
            "A program that is started for each login, by its absolute path or as a list with its arguments; no shell is involved."
        ),
        .field("http", \.http, "An address that each login is posted to, in place of a program."),
        .field("token", \.token, "Goes with each question to that address, as a bearer token; a reference."),
        .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
        .field("timeout", \.timeout, in: .seconds(1)...(.seconds(60)), "How long an answer may take."),
        .field("plain_http", \.plainHTTP, "Also asks over plain http, readable by anyone on the way."),
    ]

    func validate(at node: ConfigNode) throws(ConfigError) {
        guard exec.words.isEmpty != http.isEmpty else {
            throw ConfigError(
                node.mark, "bad-option", "Either a program or an address is asked who may push.",
                hint: "Write `logins: { exec: /usr/local/bin/logins }` or `logins: { http: \"https://…\" }`.")
        }
        if http.isEmpty { return try exec.validate(at: node["exec"]?.mark ?? node.mark) }
        try ServiceAddress.check(
            http, "Passwords", allowsPlain: plainHTTP, option: "http", at: node["http"]?.mark ?? node.mark)
    }
}

/// A program and its arguments.
struct ProgramWords: ConfigValue, Hashable {
    var words: [String] = []

    static var kind: ValueKind { .either([.text, .list(.text)]) }
    var shown: String? { words.isEmpty ? nil : words.shown }

    init() {}
    init(node: ConfigNode) throws(ConfigError) {
        if case .list = node.value {
            words = try [String](node: node)
        } else {
            words = [try node.text("a program, or a list of it and its arguments")]
        }
    }

    func validate(at mark: Mark) throws(ConfigError) {
        guard words.first?.hasPrefix("/") == true, words.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw ConfigError(
                mark, "bad-option", "The program is named by its absolute path.",
                hint: "Write [/usr/local/bin/logins, …].")
        }
    }
}

/// Who may push: those of a list, or whoever a program or a service says.
enum PushLogins: ConfigValue {
    case listed([PushLogin])
    case asked(PushAsking)

    static var kind: ValueKind { .either([.list(PushLogin.kind), PushAsking.kind]) }
    var shown: String? { nil }

    init(node: ConfigNode) throws(ConfigError) {
        if case .map = node.value {
            self = .asked(try PushAsking(node: node))
        } else {
            self = .listed(try [PushLogin](node: node))
        }
    }

    var listed: [PushLogin] { if case .listed(let logins) = self { logins } else { [] } }

    func validate(at mark: Mark) throws(ConfigError) {
        guard case .listed(let logins) = self else { return }
        if logins.isEmpty { throw ConfigError(mark, "bad-option", "Without a login no camera can push.") }
        var folders: [String: String] = [:]
        for login in logins {
            if login.user.isEmpty { throw ConfigError(mark, "bad-option", "A login needs a user.") }
            try login.validateFolder(at: mark)
            guard let other = folders.updateValue(login.user, forKey: FTPServer.folderName(login.user)) else {
                continue
            }
            throw ConfigError(
                mark, "bad-option",
                other == login.user
                    ? "Two logins have the same user."
                    : "The users `\(other)` and `\(login.user)` would have the same folder.",
                hint: "Give each camera a name of letters and digits.")
        }
    }
}
