import AuthKit
import FileKit
import FilmgateCore
import FilmgateEngine

/// One entry under `auth:`, built, and the secrets of it that Filmgate's own store keeps.
struct SignIn {
    var name: String, module: String
    var provider: any AuthProvider
    /// What a secret written as `store` is: its option, its entry in the store, and where it may be used.
    struct Typed { var option: String, entry: String, addresses: [String] }
    var stored: [Typed]

    /// Where it is used, or that it is, a service that is paid by credits.
    var paid: [CreditInquiry.Place] = []
    /// Who is told when somebody signs in or out.
    var hooks: [Hook] = []
    /// The pipeline that it was found in.
    var pipeline: String?
    /// What uses it, as the ledger knows targets without an event.
    var targets: [String] = []

    var account: (any AccountProvider)? { provider as? any AccountProvider }

    /// Whether all of them are stored, for where they are used now.
    func isTypedIn(_ vault: Vault) -> Bool {
        stored.allSatisfy { typed in
            let places = CredentialPlaces(name)
            for address in typed.addresses { places.add(address) }
            return (try? VaultSecrets(NoSecrets(), vault).serving(places).resolve(Secret(.store(typed.entry)))) != nil
        }
    }
}

/// The sign-ins that a verb is about.
struct SignIns {
    let context: CommandContext

    /// Those of the pipeline files among `words` and of `pipeline`; without any, of the pipelines used before.
    ///
    /// Other words pick by name.
    ///
    /// Keeps files that are named, so that later verbs need not be told again. Ends with 2 where there is nothing of
    /// that name.
    func all(_ words: [String], pipeline: String?, keeping: Bool) async throws -> [SignIn] {
        let given = words.filter(Self.isFile) + [pipeline].compactMap { $0 }
        let names = words.filter { !Self.isFile($0) }
        let snapshot = PipelineSnapshot(state: context.state)
        let files = given.isEmpty ? newestFirst(snapshot.files()) : given
        if files.isEmpty {
            throw context.end(
                IngestError(
                    .misconfigured, "No pipeline has been used yet.", advice: "Name it: filmgate login wedding.yaml"))
        }
        var found: [SignIn] = []
        for file in files {
            let pipeline = try context.load(file)
            if keeping, !given.isEmpty {
                try await context.telling { () throws(IngestError) in
                    try snapshot.keep(pipeline, from: context.invocation.paths)
                }
            }
            for entry in try await built(pipeline) {
                if let known = found.firstIndex(where: { $0.name == entry.name }) {
                    found[known].targets += entry.targets
                } else {
                    found.append(entry)
                }
            }
        }
        for name in names where !found.contains(where: { $0.name == name }) {
            let known =
                found.isEmpty
                ? "The pipelines have none under `auth:`."
                : "There are: \(found.map(\.name).joined(separator: ", "))."
            let hint = nearest(name, among: found.map(\.name)).map { "Did you mean `\($0)`?" } ?? known
            throw context.end(IngestError(.misconfigured, "There is no sign-in `\(name)`.", advice: hint))
        }
        shareEntries(&found)
        return names.isEmpty ? found : found.filter { names.contains($0.name) }
    }

    /// One secret that several sign-ins refer to is typed in for where any of them is used.
    private func shareEntries(_ found: inout [SignIn]) {
        let addresses = Dictionary(grouping: found.flatMap(\.stored), by: \.entry).mapValues { $0.flatMap(\.addresses) }
        for (index, entry) in found.enumerated() {
            for (place, typed) in entry.stored.enumerated() {
                found[index].stored[place].addresses = addresses[typed.entry] ?? []
            }
        }
    }

    static func isFile(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".yaml") || word.hasSuffix(".yml")
    }

    private func newestFirst(_ files: [String]) -> [String] {
        files.map { (path: $0, at: ((try? FileFacts.of($0)) ?? nil)?.modified ?? 0) }.sorted { $0.at > $1.at }.map(
            \.path)
    }

    /// Targets are built too: they say where each sign-in may be used.
    private func built(_ pipeline: PipelineFile) async throws -> [SignIn] {
        try await context.telling { () throws(IngestError) in
            let plan = try context.builder(ledger: nil).plan(pipeline)
            let paid = CreditInquiry([pipeline], plan, context).places, uses = targets(pipeline, plan)
            return plan.signIns.map { entry in
                let use = pipeline.auth.first { $0.name == entry.name }
                let places = plan.places[entry.name]?.addresses ?? [], typed = use.map { stored($0, places) } ?? []
                var found = SignIn(name: entry.name, module: use?.module ?? "", provider: entry.provider, stored: typed)
                found.paid = paid.filter { $0.signIns.contains(entry.name) }
                (found.hooks, found.pipeline) = (pipeline.hooks.map(\.hook), pipeline.name)
                found.targets = uses[entry.name] ?? []
                return found
            }
        }
    }

    /// The targets of each sign-in.
    private func targets(_ pipeline: PipelineFile, _ plan: Plan) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for (name, target) in plan.connections {
            guard let use = pipeline.target(name) else { continue }
            for auth in context.registry.entry(.target, use.module)?.references(use.node) ?? [] {
                found[auth.name, default: []].append(target.traits.identity)
            }
        }
        return found
    }

    private func stored(_ use: ModuleUse, _ addresses: [String]) -> [SignIn.Typed] {
        (context.registry.entry(.auth, use.module)?.fields ?? []).compactMap { field in
            guard field.kind == .secret, let node = use.node[field.name],
                case .store(let name)? = (try? Secret(node: node))?.reference
            else { return nil }
            return SignIn.Typed(option: field.name, entry: name.isEmpty ? use.name : name, addresses: addresses)
        }
    }
}
