public import FilmgateCore
import HTTPKit
public import Logging
import Synchronization

/// Tells the hooks of a pipeline what happens.
///
/// Nothing here makes anybody wait but `finish`, and nothing that goes wrong here fails a run: it is logged.
public final class HookNotifier: Sendable {
    private struct State {
        var shots = DeliveredShotGrouper()
        var isWatching = false
        /// Holds that were told of: reasons by target.
        var held: [String: Set<String>] = [:]
    }
    private static let mostReasons = 100
    private let boxes: [NoticeQueue]
    private let common: JSONObject
    private let state = Mutex(State())
    private let tellsOfShots: Bool

    /// `pipeline`: its name or file; `event`: of the run.
    ///
    /// Looks up no secret before the first notice, which is not sent before `earlier` has ended.
    public convenience init(
        _ hooks: [Hook], pipeline: String?, event: String?, secrets: any SecretResolver, logger: Logger,
        after earlier: Task<Void, Never>? = nil
    ) {
        let senders = hooks.map { hook -> (any HookSender, Set<HookMoment>) in
            switch hook {
            case .exec(let exec): (ProgramHookSender(hook: exec), hook.on)
            case .webhook(let webhook): (WebhookSender(webhook, secrets), hook.on)
            }
        }
        self.init(senders, pipeline: pipeline, event: event, logger: logger, after: earlier)
    }

    init(
        _ senders: [(sender: any HookSender, on: Set<HookMoment>)], pipeline: String?, event: String?, logger: Logger,
        after earlier: Task<Void, Never>? = nil
    ) {
        boxes = senders.map { NoticeQueue($0.sender, on: $0.on, logger, after: earlier) }
        tellsOfShots = senders.contains { $0.on.contains(.delivered) }
        common = ["pipeline": .text(pipeline), "event": .text(event)]
    }

    public func runStarted(_ verb: String, targets: [String]) {
        post(.runStart, ["verb": .string(verb), "targets": .texts(targets)])
    }

    public func runEnded(_ verb: String, _ summary: RunSummary, exit: Int) {
        flush(all: true)
        var facts: JSONObject = [
            "verb": .string(verb), "exit": .integer(Int64(exit)), "seen": .integer(Int64(summary.seen)),
            "bytes": .count(summary.bytes), "seconds": .number((summary.seconds * 1000).rounded() / 1000),
        ]
        for ending in Ending.allCases { facts[ending.rawValue] = .integer(Int64(summary[ending])) }
        post(.runEnd, facts)
    }

    /// The run broke off: nobody counted what it did.
    public func runFailed(_ verb: String, _ reason: String, exit: Int) {
        flush(all: true)
        post(.runEnd, ["verb": .string(verb), "exit": .integer(Int64(exit)), "error": .string(reason)])
    }

    public func signedIn(_ name: String, account: String?) {
        post(.signedIn, ["auth": .string(name), "account": .text(account)])
    }
    public func signedOut(_ name: String) { post(.signedOut, ["auth": .string(name)]) }

    /// For `EventHub.watch`.
    @Sendable public func note(_ runEvent: RunEvent) {
        switch runEvent {
        case .settled(let settled) where settled.ending == .delivered && tellsOfShots: gather(settled)
        case .held(let target, let reason):
            let isNew = state.withLock { state in
                // A server may put another number into each of its answers.
                if state.held[target, default: []].count >= Self.mostReasons { state.held[target] = [] }
                return state.held[target, default: []].insert(reason).inserted
            }
            if isNew { post(.held, ["target": .string(target), "reason": .string(reason)]) }
        case .released(let target): state.withLock { $0.held[target] = nil }
        default: break
        }
    }

    /// Waits until everything was taken, for `patience` at most.
    public func finish(within patience: Duration = .seconds(10)) async {
        flush(all: true)
        await withTaskGroup(of: Void.self) { group in
            for box in boxes { group.addTask { await box.finish(within: patience) } }
        }
    }

    private func post(_ moment: HookMoment, _ facts: JSONObject) {
        guard !boxes.isEmpty else { return }
        var all = facts.adding(common)
        // Files may bring an event with them that is not the run's.
        if let event = facts["event"] { all["event"] = event }
        let notice = Notice(moment, all)
        for box in boxes { box.put(notice) }
    }

    private func gather(_ settled: AssetResult) {
        let starts = state.withLock { state in
            state.shots.add(settled, at: .now)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if starts { Task.detached { await self.watch() } }
    }

    /// Tells of shots as they become quiet, for as long as there are any.
    private func watch() async {
        while true {
            try? await Task.sleep(for: DeliveredShotGrouper.quiet)
            flush(all: false)
            let goesOn = state.withLock { state in
                state.isWatching = !state.shots.isEmpty
                return state.isWatching
            }
            if !goesOn { return }
        }
    }

    private func flush(all: Bool) {
        for shot in state.withLock({ $0.shots.take(at: .now, all: all) }) { post(.delivered, shot) }
    }
}
