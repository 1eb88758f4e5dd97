public import FilmgateCore

/// A pipeline file, decoded and checked: every name in it is known, every option fits its module, every reference has
/// its other end.
public struct PipelineFile: Sendable {
    /// As it was given; empty for pipelines made by the program itself.
    public var file: String
    public var name: String?
    public var event = EventRule()
    /// In the order of preference.
    public var sources: [ModuleUse] = []
    public var profiles = ProfileSet()
    /// In the order in which assets pass them.
    public var stages: [ModuleUse] = []
    /// In the file's order.
    public var targets: [ModuleUse] = []
    public var auth: [ModuleUse] = []
    public var spool = SpoolRule()
    public var retry = RetryRule()
    /// On how many places a file must lie before its card may be formatted.
    public var copies = 1
    /// Where that stands.
    public var copiesMark = Mark()
    /// Programs of external modules, by absolute path.
    public var modules: [String] = []
    /// Who is told of what happens.
    public var hooks: [HookUse] = []
    /// The catalogue that this station shares with others; nil = none, and nothing is told to anybody.
    public var catalog: CatalogUse?

    public init(file: String) { self.file = file }

    /// The names in `upload.to`, in that order: the targets of an asset that no profile directs elsewhere.
    public var deliverTo: [String] {
        guard let upload = stages.first(where: { $0.module == PipelineDecoder.uploadStage }),
            let node = upload.node["to"]
        else {
            return []
        }
        return (try? [String](node: node)) ?? []
    }

    public func target(_ name: String) -> ModuleUse? { targets.first { $0.name == name } }
}

/// One entry under `hooks:`.
public struct HookUse: Sendable {
    public var hook: Hook
    /// As the file has it.
    public var use: ModuleUse
    public init(hook: Hook, use: ModuleUse) { (self.hook, self.use) = (hook, use) }
}

/// One use of a module: `- exif: {}` or `archive: { folder: {…} }`.
public struct ModuleUse: Sendable, Hashable {
    /// The entry's name under `targets:` or `auth:`; elsewhere the module's own.
    public var name: String
    /// Registered name of the module.
    public var module: String
    /// Its options.
    public var node: ConfigNode
    /// Where the entry begins: its own name, or the module's in a list.
    public var mark: Mark

    public init(name: String, module: String, node: ConfigNode, mark: Mark) {
        (self.name, self.module, self.node, self.mark) = (name, module, node, mark)
    }
}

/// What happens without an event: nothing special, a refusal, or waiting as unassigned.
public struct EventRule: Sendable, Hashable, ModuleConfig {
    public var required = false, hold = false
    public init() {}
    public static let schema: Schema<Self> = [
        .field("required", \.required, "Refuse to start without an event (`--event` or `filmgate events use`)."),
        .field("hold", \.hold, "Without an event, keep what comes in the spool as unassigned instead of refusing."),
    ]
}

/// How soon a target that did not answer is tried again.
public struct RetryRule: Sendable, Hashable, ModuleConfig {
    public var first = Duration.milliseconds(500), most = Duration.seconds(60)
    public init() {}
    public static let schema: Schema<Self> = [
        .field(
            "first", \.first, in: .milliseconds(1)...(.seconds(3600)),
            "The longest pause after the first failure; each doubles it."),
        .field(
            "most", \.most, in: .milliseconds(1)...(.seconds(86_400)),
            "The longest pause of all. Pauses are random up to their limit."),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        guard let place = node["most"], first > most else { return }
        throw ConfigError(
            place.mark, "empty-range",
            "`most` is shorter than `first`: the first pause would be longer than the longest.",
            hint: "Exchange the two.")
    }
}

/// Room for bytes that wait where no folder target holds them.
public struct SpoolRule: Sendable, Hashable, ModuleConfig {
    public var max = ByteCount(64 << 30)
    public init() {}
    public static let schema: Schema<Self> = [
        .field(
            "max", \.max, in: ByteCount(1 << 20)...ByteCount(1 << 50),
            "Most bytes that may wait; when it is full, sources pause.")
    ]
}
