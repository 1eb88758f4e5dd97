import FilmgateCore
import Synchronization

/// The schedulers of one run: of its own event, and of those that files bring with them.
final class RunSchedulers: Sendable {
    struct Member: Sendable { var scheduler: DeliveryScheduler, targets: [PlannedTarget] }
    private let members = Mutex<[Member]>([])

    var all: [Member] { members.withLock { $0 } }

    func add(_ scheduler: DeliveryScheduler, _ targets: [PlannedTarget]) {
        members.withLock { $0.append(Member(scheduler: scheduler, targets: targets)) }
    }

    func windDown() async { for one in all { await one.scheduler.windDown() } }
    func abort() async { for one in all { await one.scheduler.abort() } }

    /// Returns when nothing moves any more at any of them.
    func drain(wait: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for one in all { group.addTask { await one.scheduler.drain(wait: wait) } }
        }
    }
}

/// What waits at each target over all schedulers of a run: whoever watches knows a target by its name alone.
final class QueueCounts: Sendable {
    private struct State {
        var last = 0, queues: [String: [Int: (waiting: Int, sending: Int)]] = [:]
    }
    private let hub: EventHub, state = Mutex(State())

    init(_ hub: EventHub) { self.hub = hub }

    /// What one scheduler posts to: everything comes to the run's hub, counts with those of the others added.
    func part() -> EventHub {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let own = EventHub()
        own.watch { self.note($0, of: number) }
        own.whenResting { [hub] in await hub.rest() }
        return own
    }

    private func note(_ runEvent: RunEvent, of number: Int) {
        guard case .queue(let target, let waiting, let sending) = runEvent else { return hub.post(runEvent) }
        // Posted before anybody else counts: the last word that watchers hear is the last that was said.
        state.withLock { state in
            state.queues[target, default: [:]][number] = (waiting, sending)
            let sum = state.queues[target, default: [:]].values.reduce((0, 0)) {
                ($0.0 + $1.waiting, $0.1 + $1.sending)
            }
            hub.post(.queue(target: target, waiting: sum.0, sending: sum.1))
        }
    }
}
