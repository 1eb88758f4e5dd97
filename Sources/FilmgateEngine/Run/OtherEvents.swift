import FilmgateCore
import Synchronization

/// What a run makes for files that bring another event with them than its own: targets, names and queues of that event.
///
/// A target is another one for each event, so each event has a plan; what holds for all files of the run is shared.
final class OtherEvents: Sendable {
    typealias Open = @Sendable (Plan, String, RunContext) async throws(IngestError) -> RunContext
    /// Ends what was made for an event; false where something waits there.
    typealias Close = @Sendable (RunContext) async -> Bool
    private let build: Runner.BuildPlan?, open: Open, close: Close
    private struct Event {
        /// Who asks for it first makes it; the others of the same event wait for that.
        let making = AsyncMutex()
        var context: RunContext?
        /// How many places have it.
        var uses = 0
        /// Something waited there when nobody had it any more: it is asked again after `pause`.
        var isAskedAgain = false
    }
    private static let pause = Duration.seconds(60)
    private let events = Mutex<[String: Event]>([:])
    private let over = Atomic(false)

    init(_ build: Runner.BuildPlan?, _ open: @escaping Open, close: @escaping Close) {
        (self.build, self.open, self.close) = (build, open, close)
    }

    /// Made when it is asked for first; throws where nothing can be delivered for the event.
    ///
    /// Whoever has it says so with `leave` when it is not needed any more.
    func context(for event: String, beside main: RunContext) async throws(IngestError) -> RunContext {
        let making = events.withLock { events in
            let known = events[event] ?? Event()
            events[event] = known
            return known.making
        }
        await making.take()
        let result = await Result { () async throws(IngestError) in
            let known = events.withLock { events in
                if events[event]?.context != nil { events[event]?.uses += 1 }
                return events[event]?.context
            }
            if let known { return known }
            guard let build else {
                throw IngestError(
                    .misconfigured, "Files of the event \(event) are not taken by this command.",
                    advice: "Take them with `filmgate run`.")
            }
            let context = try await open(try await build(event), event, main)
            events.withLock { events in
                events[event]?.context = context
                events[event]?.uses = 1
            }
            return context
        }
        await making.give()
        return try result.get()
    }

    /// Where nobody else has it, it goes as soon as nothing waits there.
    func leave(_ event: String) async {
        guard let making = events.withLock({ $0[event]?.making }) else { return }
        await making.take()
        events.withLock { $0[event]?.uses -= 1 }
        await closeUnused(event)
        await making.give()
    }

    private func closeUnused(_ event: String) async {
        let unused = events.withLock { $0[event]?.uses == 0 ? $0[event]?.context : nil }
        guard let unused else { return }
        if await close(unused) {
            events.withLock { $0[event]?.context = nil }
            return
        }
        let isNew = events.withLock { events in
            defer { events[event]?.isAskedAgain = true }
            return events[event]?.isAskedAgain == false
        }
        guard isNew else { return }
        _ = unused.clock.set(after: Self.pause) { [weak self] in Task { await self?.askAgain(event) } }
    }

    /// What waited may have been sent or taken back by now: a run goes on for months.
    private func askAgain(_ event: String) async {
        guard let making = events.withLock({ $0[event]?.making }) else { return }
        await making.take()
        events.withLock { $0[event]?.isAskedAgain = false }
        await closeUnused(event)
        await making.give()
    }

    /// Those that are needed now.
    var all: [RunContext] { events.withLock { $0.values.compactMap(\.context) } }
    /// True where no file has brought another event up to now.
    var isEmpty: Bool { events.withLock { $0.values.allSatisfy { $0.context == nil } } }

    /// Nobody asks for an event any more: the end of the run closes all that was made, once.
    var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    /// The run is over, or about to be: nothing here keeps it.
    func forget() {
        over.store(true, ordering: .sequentiallyConsistent)
        events.withLock { $0 = [:] }
    }
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
            // A gallery that takes its time holds up neither the end of the run nor other events.
            let result = await stopping.answer { () async throws(IngestError) in
                try await otherEvents.context(for: event, beside: self)
            }
            guard let result, !stopping.isSet else { break }
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

    /// Returns once nobody hands anything over any more, nor closes what was made for an event.
    func endPlacing() async {
        otherEvents.forget()
        await placing.take()
        await placing.give()
    }

    /// The place that `own` was asked for has given all that it had.
    func leave(_ place: SourcePlace) async {
        guard let event = place.event, event != options.event, !stopping.isSet else { return }
        await otherEvents.leave(event)
    }
}
