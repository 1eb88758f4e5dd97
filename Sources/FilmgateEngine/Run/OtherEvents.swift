import FilmgateCore
import Synchronization

/// What a run makes for files that bring another event with them than its own: targets, names and queues of that event.
///
/// A target is another one for each event, so each event has a plan; what holds for all files of the run is shared.
final class OtherEvents: Sendable {
    typealias Open = @Sendable (Plan, String, RunContext) async throws(IngestError) -> RunContext
    private let build: Runner.BuildPlan?, open: Open
    private let mutex = AsyncMutex(), made = Mutex<[String: RunContext]>([:])

    init(_ build: Runner.BuildPlan?, _ open: @escaping Open) { (self.build, self.open) = (build, open) }

    /// Made when it is asked for first; throws where nothing can be delivered for the event.
    func context(for event: String, beside main: RunContext) async throws(IngestError) -> RunContext {
        await mutex.take()
        let result = await Result { () async throws(IngestError) in
            if let known = made.withLock({ $0[event] }) { return known }
            guard let build else {
                throw IngestError(
                    .misconfigured, "Files of the event \(event) are not taken by this command.",
                    advice: "Take them with `filmgate run`.")
            }
            let context = try await open(try await build(event), event, main)
            made.withLock { $0[event] = context }
            return context
        }
        await mutex.give()
        return try result.get()
    }

    /// Those that were asked for up to now.
    var all: [RunContext] { made.withLock { Array($0.values) } }

    /// The run is over: nothing here keeps it.
    func forget() { made.withLock { $0 = [:] } }
}

extension RunContext {
    /// This one, and those of the events that files have brought with them up to now.
    var withOthers: [RunContext] { [self] + otherEvents.all }

    /// Where the files of a place are taken: here, or in the context of the event that they bring with them.
    ///
    /// A run without an end asks until there is one, as a gallery may be away; nil where there is none, which was told.
    func own(for place: SourcePlace) async -> RunContext? {
        guard let event = place.event, event != options.event else { return self }
        var failures = 0, told: String?
        while !stopping.isSet {
            let result = await Result { () async throws(IngestError) in
                try await otherEvents.context(for: event, beside: self)
            }
            guard case .failure(let error) = result else { return try? result.get() }
            if told != error.message {
                tell(place, .lost(error))
                statistics.trouble(error)
            }
            told = error.message
            if mode.ends { break }
            failures += 1
            guard await stopping.sleep(min(.seconds(60), .seconds(1) * (1 << min(failures - 1, 6)))) else { break }
        }
        tell(place, .finished)
        return nil
    }
}
