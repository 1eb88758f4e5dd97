import FilmgateCore
import FilmgateEngine

extension EventDirectories {
    /// Where an event's id could not be learned, and why not.
    struct Unknown { var event: String, places: [EventPlace], trouble: IngestError }

    /// Looks up what the galleries of these pipelines call `event`, where they take their own ids and no list read
    /// before has it.
    ///
    /// Throws where such a gallery cannot be asked or knows no such event: what is sent under a name would go nowhere,
    /// or to another place than later.
    func learn(_ event: String, _ pipelines: [PipelineFile]) async throws(IngestError) {
        if let unknown = try await unknown([event], pipelines).first { throw unknown.trouble }
    }

    /// The same for several events; each gallery is asked once at most.
    func unknown(_ events: [String], _ pipelines: [PipelineFile]) async throws(IngestError) -> [Unknown] {
        let targets = pipelines.map { pipeline in
            var targets = pipeline
            (targets.sources, targets.stages) = ([], [])
            return targets
        }
        var found: [Unknown] = []
        let directories = try await directories(targets), ids = EventIDs(state: context.state)
        // What another target of the same account has learned counts for all of its places.
        for one in directories { _ = remembered(one) }
        let known = Dictionary(events.map { ($0, ids.ids(of: $0)) }) { $1 }
        for one in directories {
            let missing = events.filter { event in
                one.directory.needsID(for: event) && one.places.contains { known[event]?[$0] == nil }
            }
            if missing.isEmpty { continue }
            let notice = Self.noticeLater(one.target, missing, context.console)
            let answer = await answer(one, refresh: true, seeking: missing)
            notice.cancel()
            guard let answer else { continue }
            for event in missing {
                guard let trouble = Self.trouble(event, answer, one.directory) else { continue }
                found.append(Unknown(event: event, places: one.places, trouble: trouble))
            }
        }
        return found
    }

    /// Nothing is taken before that is known: who waits for it hears so, once that takes long.
    private static func noticeLater(_ target: String, _ events: [String], _ console: Console) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: .seconds(2))
            if Task.isCancelled { return }
            let names = events.sorted().joined(separator: ", ")
            console.err(Describe.name("waiting: \(target) has not said yet which of its events is \(names)."))
        }
    }

    private static func trouble(_ event: String, _ answer: Answer, _ directory: any EventDirectory) -> IngestError? {
        if let trouble = answer.trouble { return unasked(event, answer.target, trouble) }
        guard let list = answer.list, list.find(event) == nil else { return nil }
        let same = list.events.filter { $0.name == event }.map {
            "\($0.id)\($0.date.map { " (\($0.prefix(10)))" } ?? "")"
        }
        guard same.isEmpty else {
            return IngestError(
                .misconfigured,
                "Several events are named \(event) at \(answer.target): \(same.joined(separator: ", ")).",
                advice: "Give the event by its id.")
        }
        guard answer.isSeenWhole else {
            // Sent as it is it would go to an event that nobody sees, and to another place once it is found in the
            // list.
            let tellsIDs = list.events.first.map { !directory.needsID(for: $0.id) } ?? false
            return IngestError(
                .misconfigured,
                "\(event) is not among the first \(Describe.count(answer.seen, "event")) of \(answer.target), and there are more; nothing was sent.",
                advice: tellsIDs
                    ? "Give the event by its id." : "Give one that `filmgate events list --limit 100000` shows.")
        }
        return IngestError(
            .misconfigured,
            "\(answer.target) knows no event \(event), and takes only those that it knows; nothing was sent.",
            advice: "Give one that `filmgate events list` shows, or make it there first.")
    }

    private static func unasked(_ event: String, _ target: String, _ trouble: IngestError) -> IngestError {
        let code = trouble.code == .unauthorized || trouble.code == .misconfigured ? trouble.code : .notFound
        return IngestError(
            code, "\(target) could not be asked which of its events is \(event): \(trouble.message)",
            advice: trouble.advice
                ?? "Give the event by its id, or choose it with `filmgate events use` while the network is there.",
            cause: trouble)
    }
}

extension RunSession {
    /// The ids of the run's event, before targets are built with them; a dry run does with what is known.
    func learnEvent(_ pipelines: [PipelineFile]) async throws(IngestError) {
        guard let event = options.event, !options.dryRun else { return }
        try await EventDirectories(context: context).learn(event, pipelines)
    }

    /// The same for all that waits: what has no id is held, and everything else goes on.
    func heldEvents(_ events: [String?], _ pipelines: [PipelineFile]) async throws(IngestError) -> [EventDirectories
        .Unknown]
    {
        guard options.verb == "retry" else {
            try await learnEvent(pipelines)
            return []
        }
        let events = events.compactMap { $0 }
        return events.isEmpty ? [] : try await EventDirectories(context: context).unknown(events, pipelines)
    }
}
