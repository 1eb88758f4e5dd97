/// What people or programs elsewhere may be told of.
public enum HookMoment: String, Sendable, Hashable, CaseIterable, ConfigValue {
    case runStart = "run-start", runEnd = "run-end"
    /// A shot: the files of it that reached all their targets, together.
    case delivered
    /// A target takes nothing more in this run.
    case held
    case signedIn = "signed-in", signedOut = "signed-out"
}

/// Who is told: one entry under `hooks:`.
public enum Hook: Sendable {
    case exec(ExecHook)
    case webhook(Webhook)

    public var on: Set<HookMoment> {
        switch self {
        case .exec(let hook): Set(hook.on)
        case .webhook(let hook): Set(hook.on)
        }
    }

    /// Words of the file and the options that each takes.
    public static let kinds: [(name: String, fields: [FieldDescription])] = [
        ("exec", ExecHook.schema.descriptions), ("webhook", Webhook.schema.descriptions),
    ]

    /// Nil when `kind` is no kind of hook; mistakes are appended.
    public init?(_ kind: String, _ node: ConfigNode, errors: inout [ConfigError]) {
        switch kind {
        case "exec": self = .exec(ExecHook.schema.decode(node, errors: &errors))
        case "webhook": self = .webhook(Webhook.schema.decode(node, errors: &errors))
        default: return nil
        }
    }
}

/// A program that is started for each notice and reads it from its stdin.
public struct ExecHook: ModuleConfig {
    public var command: [String] = [], on = HookMoment.allCases, timeout = Duration.seconds(30)

    public init() {}
    public static let schema: Schema<Self> = [
        .field("command", \.command, "The program by its absolute path, and its arguments; no shell is involved.")
            .required(),
        .field("on", \.on, "What it is notified of."),
        .field("timeout", \.timeout, in: .seconds(1)...(.seconds(600)), "How long it may take before it is ended."),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        guard command.first?.hasPrefix("/") == true, command.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw ConfigError(
                node["command"]?.mark ?? node.mark, "bad-option", "The program is named by its absolute path.",
                hint: "Write [/usr/local/bin/notify, …].")
        }
    }
}

/// An address that each notice is posted to, signed where there is a secret.
public struct Webhook: ModuleConfig {
    public var url = "", secret = Secret(), on = HookMoment.allCases, tries = 5, timeout = Duration.seconds(15)
    public var caFile: String?, plainHTTP = false

    public init() {}
    public static let schema: Schema<Self> = [
        .field("url", \.url, "Where to.").required(),
        .field("secret", \.secret, "Signs each notice (HMAC-SHA256 over time and body); absent = unsigned."),
        .field("on", \.on, "What it is notified of."),
        .field("tries", \.tries, in: 1...20, "How often a notice is sent before it is given up."),
        .field("timeout", \.timeout, in: .seconds(1)...(.seconds(120)), "How long the server may take for its answer."),
        .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
        .field(
            "plain_http", \.plainHTTP, "Also sends it over plain http to other machines, readable by anyone on the way."
        ),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        try ServiceAddress.check(url, "Notices", allowsPlain: plainHTTP, at: node["url"]?.mark ?? node.mark)
    }
}
