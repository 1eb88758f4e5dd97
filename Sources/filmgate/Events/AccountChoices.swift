import FilmgateCore
import FilmgateEngine
import Logging

/// The choices that follow a person's account where a target of the pipeline can keep them: the event, and the
/// clocks that were measured.
///
/// The later event counts, here or there; clocks are brought together body by body. Where nobody is signed in, or
/// nobody answers in time, nothing is said and nothing changes.
struct AccountChoices {
    /// How long all of it may take.
    static let patience = Duration.seconds(5)
    /// By the names that accounts keep them under.
    enum Choice: String { case event, clocks }
    struct PreferenceTarget {
        var name: String, target: any AccountPreferences
        /// Who is signed in there.
        var account: String
        var identity: String { target.traits.identity }
    }

    let context: CommandContext
    private var state: String { context.state }

    /// Brings this machine and the accounts to the same state, and says what was chosen elsewhere.
    ///
    /// `chosen`: what a person chose here this moment. It counts whatever the clock of another machine said.
    func follow(_ pipelines: [PipelineFile], chosen: Choice? = nil) async {
        guard !context.keepsNothing else { return }
        let end = ContinuousClock.now + Self.patience
        for keeper in await keepers(pipelines) {
            let result = await Result { () async throws(IngestError) in try await follow(keeper, chosen, until: end) }
            guard case .failure(let error) = result else { continue }
            context.logger.info("\(keeper.name): preferences are not followed now: \(error.message)")
        }
    }

    /// Targets that keep preferences for somebody who is signed in.
    private func keepers(_ pipelines: [PipelineFile]) async -> [PreferenceTarget] {
        var found: [PreferenceTarget] = []
        // Most pipelines name no place for them: nothing is built for those.
        for pipeline in pipelines where pipeline.targets.contains(where: { $0.node["preferences"] != nil }) {
            var targets = pipeline
            targets.sources = []
            // What cannot be built says so where it is used.
            guard let plan = try? context.builder(ledger: nil).plan(targets) else { continue }
            for (name, target) in plan.connections {
                guard let keeper = target as? any AccountPreferences, keeper.keepsPreferences,
                    let use = pipeline.target(name), let account = await account(use, plan)
                else { continue }
                let one = PreferenceTarget(name: name, target: keeper, account: account)
                if !found.contains(where: { $0.identity == one.identity }) { found.append(one) }
            }
        }
        return found
    }

    /// Nil where nobody is signed in.
    private func account(_ use: ModuleUse, _ plan: Plan) async -> String? {
        let names = context.registry.entry(.target, use.module)?.references(use.node).map(\.name) ?? []
        var accounts: [String] = []
        for name in names {
            guard let provider = plan.signIns.first(where: { $0.name == name })?.provider else { return nil }
            guard let session = provider as? any AccountProvider else {
                accounts.append(provider.account ?? "")
                continue
            }
            guard case .signedIn(let account)? = try? await session.restore(validating: false).state else { return nil }
            accounts.append(account.id)
        }
        return names.isEmpty ? nil : accounts.joined(separator: " ")
    }

    private func follow(
        _ keeper: PreferenceTarget, _ chosen: Choice?, until end: ContinuousClock.Instant
    ) async throws(IngestError) {
        let target = keeper.target, choices = FollowedChoices(state: state), followed = choices.entries
        let kept = try await Self.answer(by: end) { () async throws(IngestError) in try await target.preferences() }
        let last = followed[keeper.identity].flatMap { $0.account == keeper.account ? $0 : nil }
        let event = EventChoice(
            gate: ChosenEvent(state: state), keeper: keeper.name, isNew: chosen == .event,
            isOwn: last != nil || followed.isEmpty, console: context.console)
        let toSend = try event.follow(kept[Choice.event.rawValue])
        if let toSend { try await Self.send(toSend, as: .event, to: target, by: end) }
        let clocks = ClockChoice(
            clocks: MeasuredClocks(state: state), keeper: keeper.name, isNew: chosen == .clocks,
            console: context.console)
        let agreed = try clocks.follow(kept[Choice.clocks.rawValue], last: last?.clocks ?? "")
        if let fresh = agreed.toSend { try await Self.send(fresh, as: .clocks, to: target, by: end) }
        try choices.keep(FollowedChoices.Entry(account: keeper.account, clocks: agreed.text), of: keeper.identity)
    }

    private static func send(
        _ preference: Preference, as choice: Choice, to target: any AccountPreferences, by end: ContinuousClock.Instant
    ) async throws(IngestError) {
        try await answer(by: end) { () async throws(IngestError) in
            try await target.keep(preference, as: choice.rawValue)
        }
    }

    /// What `body` comes to; it is not waited for any longer than to `end`.
    private static func answer<Value: Sendable>(
        by end: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        let (answers, feed) = AsyncStream<Result<Value, IngestError>>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let work = Task { feed.yield(await Result { () async throws(IngestError) in try await body() }) }
        let alarm = Task {
            try? await Task.sleep(until: end, clock: .continuous)
            feed.finish()
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        for await answer in answers { return try answer.get() }
        throw IngestError(.network, "No answer in \(patience.components.seconds) s.")
    }
}
