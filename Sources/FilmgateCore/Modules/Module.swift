public import Logging

/// How far a module can be trusted; printed by `filmgate modules`.
public enum Stability: String, Sendable, Hashable, Codable { case stable, beta, experimental }

/// The five kinds of module.
public enum ModuleKind: String, Sendable, Hashable, Codable, CaseIterable { case source, stage, target, auth, catalog }

/// What a stage needs to find on an asset, and what it adds.
///
/// A pipeline whose order breaks a need is refused with a line number.
public enum Fact: String, Sendable, Hashable, Codable, CaseIterable {
    case file, digest, media, selected, unique, receipt
}

/// What a module says about itself: plain data, the same that an external module prints when it starts.
public struct Manifest: Sendable, Hashable, Codable {
    public var name: String
    /// One sentence, ending in a full stop.
    public var summary: String
    public var stability: Stability
    public var needs: Set<Fact>, gives: Set<Fact>
    /// Protects nothing: `check` refuses a pipeline with it unless told that this is a test.
    public var testsOnly: Bool

    public init(
        _ name: String, _ summary: String, stability: Stability = .stable, needs: Set<Fact> = [], gives: Set<Fact> = [],
        testsOnly: Bool = false
    ) {
        (self.name, self.summary, self.stability, self.needs, self.gives) = (name, summary, stability, needs, gives)
        self.testsOnly = testsOnly
    }
}

/// Anything registered by name.
///
/// A module also plays one role: `SourceDriver`, `Stage`, `UploadTarget`, `AuthProvider` or `Catalog`.
public protocol Module: Sendable {
    associatedtype Config: ModuleConfig
    static var manifest: Manifest { get }
    /// Builds it. Must not touch the network, a device or a secret: that is for `check`, `open` and the first use.
    init(_ config: Config, _ context: ModuleContext) throws(IngestError)
}

/// All that a module may reach for; nothing global.
public struct ModuleContext: Sendable {
    /// The entry's name in the pipeline file (`archive`), or the module's own where there is none.
    public var name: String
    public var logger: Logger
    /// Filmgate's state directory, 0700.
    public var state: String
    public var event: String?
    /// What was built earlier: sign-in for targets, the ledger for stages.
    public var lookup: Lookup

    public init(name: String, logger: Logger, state: String, event: String? = nil, lookup: Lookup = Lookup()) {
        (self.name, self.logger, self.state, self.event, self.lookup) = (name, logger, state, event, lookup)
        self.lookup.secrets = EntrySecrets(name: name, inner: lookup.secrets)
    }
}

/// Among the services of ``Lookup``: whoever has it writes nothing, as for a plan.
public struct WritesNothing: Sendable { public init() {} }

public struct Lookup: Sendable {
    public var auth: [String: any AuthProvider]
    public var secrets: any SecretResolver
    public var ledger: (any LedgerReader)?
    /// What only some modules know how to use, each found by its type: the USB bus, cameras that several modules look
    /// at.
    public var services: [any Sendable] = []

    public init(
        auth: [String: any AuthProvider] = [:], secrets: any SecretResolver = NoSecrets(),
        ledger: (any LedgerReader)? = nil
    ) {
        (self.auth, self.secrets, self.ledger) = (auth, secrets, ledger)
    }

    /// The first service of that type; nil when the program has none.
    public func service<Service>(_ type: Service.Type) -> Service? {
        for service in services { if let found = service as? Service { return found } }
        return nil
    }
}
