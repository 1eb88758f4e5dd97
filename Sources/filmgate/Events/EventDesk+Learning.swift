import FilmgateCore
import FilmgateEngine

extension EventDesk {
    /// Looks up what the galleries of these pipelines call `event`, where they take their own ids and no list read before has it.
    ///
    /// Throws where such a gallery cannot be asked: what is sent under a name would go nowhere, or to another place than later.
    func learn(_ event: String, _ pipelines: [PipelineFile]) async throws(IngestError) {
        let targets = pipelines.map { pipeline in
            var targets = pipeline
            (targets.sources, targets.stages) = ([], [])
            return targets
        }
        let known = EventBook(state: workplace.options.stateDirectory).ids(of: event)
        for one in try await directories(targets) where known[one.directory.gallery] == nil && one.directory.needsID(for: event) {
            guard let answer = await self.answer(one, refresh: true) else { continue }
            if let trouble = answer.trouble { throw Self.unasked(event, answer.target, trouble) }
            guard let list = answer.list, list.find(event) == nil else { continue }
            let same = list.events.filter { $0.name == event }.map { "\($0.id)\($0.date.map { " (\($0.prefix(10)))" } ?? "")" }
            if !same.isEmpty {
                throw IngestError(
                    .misconfigured, "Several events are called \(event) at \(answer.target): \(same.joined(separator: ", ")).",
                    advice: "Give the event by its id.")
            }
            Console.err(Describe.name("\(answer.target) knows no event \(event); it is taken as it is."))
        }
    }

    private static func unasked(_ event: String, _ target: String, _ trouble: IngestError) -> IngestError {
        let code = trouble.code == .unauthorized || trouble.code == .misconfigured ? trouble.code : .notFound
        return IngestError(
            code, "\(target) could not be asked which of its events is \(event): \(trouble.message)",
            advice: trouble.advice ?? "Give the event by its id, or choose it with `filmgate events use` while the network is there.",
            cause: trouble)
    }
}

extension RunSession {
    /// The ids of the run's event, before targets are built with them; a dry run does with what is known.
    func learnEvent(_ pipelines: [PipelineFile]) async throws(IngestError) {
        guard let event = options.event, !options.dryRun else { return }
        try await EventDesk(workplace: workplace).learn(event, pipelines)
    }
}
