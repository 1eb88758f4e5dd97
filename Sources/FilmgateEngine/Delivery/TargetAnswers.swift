import FilmgateCore
import Synchronization

/// Which targets in a network have answered in this run, how long folders wait for one of them, and who is told that it
/// is waited for.
final class TargetAnswers: Sendable {
    private struct State {
        /// Something got through to them.
        var heard: Set<String> = []
        /// They could not be asked what a name holds, and nothing has got through since.
        var silent: Set<String> = []
        /// People know that they are waited for.
        var told: Set<String> = []
    }
    private let state = Mutex(State())
    private let hub: EventHub, clock: any RunClock
    private let isPlan: Bool
    /// The run has no other target.
    private let isAlone: Bool

    /// How long a target is asked for a name before the other targets get theirs.
    ///
    /// It is asked again before anything is sent there, so that hardly anything is lost by a short time. A plan sends
    /// nothing, and what it says rests on the answer.
    let patience: Duration
    /// After so long people hear whom it is that is waited for.
    static let notice = Duration.seconds(2)

    init(
        _ hub: EventHub = EventHub(), _ clock: any RunClock = TimerQueue.shared, isPlan: Bool = true,
        isAlone: Bool = false
    ) {
        (self.hub, self.clock, self.isPlan, self.isAlone) = (hub, clock, isPlan, isAlone)
        patience = .seconds(isPlan ? 10 : 2)
    }

    func isSilent(_ target: String) -> Bool { state.withLock { $0.silent.contains(target) } }

    /// It was given long enough to answer, and has not.
    func isAwaited(_ target: String) -> Bool {
        state.withLock { $0.told.contains(target) && !$0.heard.contains(target) }
    }

    func note(silent: Bool, _ target: String) {
        state.withLock { state in
            if silent {
                state.silent.insert(target)
            } else {
                state.silent.remove(target)
                state.heard.insert(target)
            }
        }
    }

    /// The same way of sending; who waits for its target is told so.
    func watching(
        _ send: @escaping @Sendable (Delivery) async -> DeliveryEvent
    ) -> @Sendable (Delivery) async -> DeliveryEvent {
        { delivery in await self.awaited(delivery.target) { await send(delivery) } }
    }

    /// What `work` with that target comes to.
    ///
    /// Where nothing has ever got through to it, and nothing moves now, that is told once: else a run that waits for
    /// one target would say nothing at all.
    func awaited<Value: Sendable>(_ target: PlannedTarget, _ work: () async -> Value) async -> Value {
        let watch = watch(target, ProgressSignal.current)
        defer { watch?.cancel() }
        return await work()
    }

    private func watch(_ target: PlannedTarget, _ signal: ProgressSignal?) -> Task<Void, Never>? {
        let identity = target.identity
        guard !target.isLocal, state.withLock({ !$0.heard.contains(identity) && !$0.told.contains(identity) }) else {
            return nil
        }
        return Task { [clock, hub, isPlan, isAlone] in
            var wait = Self.notice
            while wait > .zero {
                await clock.sleep(for: wait)
                if Task.isCancelled { return }
                wait = signal?.last.map { Self.notice - (clock.now.instant - $0) } ?? .zero
            }
            let isNew = self.state.withLock { !$0.heard.contains(identity) && $0.told.insert(identity).inserted }
            guard isNew else { return }
            let rest = isPlan || isAlone ? "." : "; what is for other targets goes on meanwhile."
            hub.post(.waiting(IngestError(.unavailable, "\(target.name) has given no answer for 2 s\(rest)")))
        }
    }
}
