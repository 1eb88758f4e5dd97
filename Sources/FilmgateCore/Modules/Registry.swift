/// A module with its types erased: what the one list of modules holds.
public struct ModuleEntry: Sendable {
    public enum Make: Sendable {
        case source(@Sendable (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any SourceDriver)
        case stage(@Sendable (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any Stage)
        case target(@Sendable (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any UploadTarget)
        case auth(@Sendable (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any AuthProvider)
        case catalog(@Sendable (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> any Catalog)
    }
    public let kind: ModuleKind
    public let manifest: Manifest
    /// Made on each call: describing every module would take a good part of a short command's time.
    public var fields: [FieldDescription] { describe() }
    private let describe: @Sendable () -> [FieldDescription]
    /// Builds the module from its node; mistakes in the node are appended, and the module is then built from defaults
    /// only to go on checking.
    public let make: Make
    /// Finds the mistakes in a node without building anything.
    public let lint: @Sendable (ConfigNode) -> [ConfigError]
    /// The names under `auth:` that a node refers to.
    public let references: @Sendable (ConfigNode) -> [AuthReference]

    /// For modules that are not written in this program.
    ///
    /// `lint` and `make` must agree on what a mistake is.
    public init(
        kind: ModuleKind, manifest: Manifest, fields: @escaping @autoclosure @Sendable () -> [FieldDescription],
        make: Make, lint: @escaping @Sendable (ConfigNode) -> [ConfigError],
        references: @escaping @Sendable (ConfigNode) -> [AuthReference]
    ) {
        (self.kind, self.manifest, self.describe, self.make) = (kind, manifest, fields, make)
        (self.lint, self.references) = (lint, references)
    }

    public static func source<M: Module & SourceDriver>(_ module: M.Type) -> ModuleEntry {
        entry(
            M.self, .source,
            .source { node, context, errors throws(IngestError) in try build(M.self, node, context, &errors) })
    }
    public static func stage<M: Module & Stage>(_ module: M.Type) -> ModuleEntry {
        entry(
            M.self, .stage,
            .stage { node, context, errors throws(IngestError) in try build(M.self, node, context, &errors) })
    }
    public static func target<M: Module & UploadTarget>(_ module: M.Type) -> ModuleEntry {
        entry(
            M.self, .target,
            .target { node, context, errors throws(IngestError) in try build(M.self, node, context, &errors) })
    }
    public static func auth<M: Module & AuthProvider>(_ module: M.Type) -> ModuleEntry {
        entry(
            M.self, .auth,
            .auth { node, context, errors throws(IngestError) in try build(M.self, node, context, &errors) })
    }
    public static func catalog<M: Module & Catalog>(_ module: M.Type) -> ModuleEntry {
        entry(
            M.self, .catalog,
            .catalog { node, context, errors throws(IngestError) in try build(M.self, node, context, &errors) })
    }

    private static func entry<M: Module>(_: M.Type, _ kind: ModuleKind, _ make: Make) -> ModuleEntry {
        ModuleEntry(
            kind: kind, manifest: M.manifest, fields: M.Config.schema.descriptions, make: make,
            lint: { node in
                var errors: [ConfigError] = []
                _ = M.Config.schema.decode(node, errors: &errors)
                return errors
            },
            references: { node in
                M.Config.schema.descriptions.compactMap { field in
                    guard case .reference("auth") = field.kind, let value = node[field.name] else { return nil }
                    return try? AuthReference(node: value)
                }
            })
    }

    private static func build<M: Module>(
        _: M.Type, _ node: ConfigNode, _ context: ModuleContext, _ errors: inout [ConfigError]
    ) throws(IngestError) -> M {
        try M(M.Config.schema.decode(node, errors: &errors), context)
    }
}

/// Modules that are programs of their own, looked for when a pipeline names them.
public protocol OutsideModules: Sendable {
    /// The module of that name; nil when there is none, a failure where there is one that does not work.
    ///
    /// May start a program once and blocks for it; asked again it remembers.
    func module(named name: String) -> Result<ModuleEntry, IngestError>?
    /// Makes a program known that a pipeline file names by its absolute path.
    ///
    /// `misconfigured` when it cannot be one, or another program has its name already.
    func add(program path: String) throws(IngestError)
}

/// The modules that this program knows: a value filled by one list, no globals, no load-time registration.
public struct ModuleRegistry: Sendable {
    /// Those that are built in.
    public let entries: [ModuleEntry]
    /// Where other names are looked up; nil = nowhere.
    public let outside: (any OutsideModules)?

    /// Refuses two modules of one kind with the same name.
    public init(_ entries: [ModuleEntry], outside: (any OutsideModules)? = nil) throws(IngestError) {
        self.outside = outside
        var seen: Set<String> = []
        for entry in entries where !seen.insert("\(entry.kind.rawValue) \(entry.manifest.name)").inserted {
            throw IngestError(.misconfigured, "Two \(entry.kind.rawValue) modules are called `\(entry.manifest.name)`.")
        }
        self.entries = entries
    }

    /// A built-in module, or else one from outside; what has no place in the list is looked for, see `OutsideModules`.
    public func entry(_ kind: ModuleKind, _ name: String) -> ModuleEntry? {
        if let own = entries.first(where: { $0.kind == kind && $0.manifest.name == name }) { return own }
        guard case .success(let found)? = stranger(name), found.kind == kind else { return nil }
        return found
    }

    /// The module from outside called `name`; built-in names are never looked for there.
    public func stranger(_ name: String) -> Result<ModuleEntry, IngestError>? {
        entries.contains { $0.manifest.name == name } ? nil : outside?.module(named: name)
    }

    public func names(_ kind: ModuleKind) -> [String] { entries.filter { $0.kind == kind }.map(\.manifest.name) }
}
