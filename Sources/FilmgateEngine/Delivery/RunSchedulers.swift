import FilmgateCore
import Synchronization

/// The schedulers of one run: of its own event, and of those that files bring with them.
final class RunSchedulers: Sendable {
    struct Member: Sendable {
        var scheduler: DeliveryScheduler, targets: [PlannedTarget]
        /// What it posts to.
        var hub: EventHub
    }
    private let members = Mutex<[Member]>([])

    var all: [Member] { members.withLock { $0 } }

    func add(_ member: Member) { members.withLock { $0.append(member) } }

    func remove(_ scheduler: DeliveryScheduler) { members.withLock { $0.removeAll { $0.scheduler === scheduler } } }

    func windDown() async { for one in all { await one.scheduler.windDown() } }
    func abort() async { for one in all { await one.scheduler.abort() } }

    /// Returns when nothing moves any more at any of them.
    func drain(wait: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for one in all { group.addTask { await one.scheduler.drain(wait: wait) } }
        }
    }
}

/// What waits at each target over all schedulers of a run, and whether it is held: whoever watches knows a target by its
/// name alone.
final class QueueCounts: Sendable {
    private struct State {
        var last = 0, queues: [String: [Int: (waiting: Int, sending: Int)]] = [:]
        /// Why which scheduler sends nothing to a target.
        var held: [String: [Int: String]] = [:]
        var numbers: [ObjectIdentifier: Int] = [:]
    }
    private let hub: EventHub, state = Mutex(State())

    init(_ hub: EventHub) { self.hub = hub }

    /// What one scheduler posts to: everything comes to the run's hub, counts with those of the others added.
    func part() -> EventHub {
        let own = EventHub()
        let number = state.withLock { state in
            state.last += 1
            state.numbers[ObjectIdentifier(own)] = state.last
            return state.last
        }
        own.watch { self.note($0, of: number) }
        own.whenResting { [hub] in await hub.rest() }
        return own
    }

    /// Nothing waits there, and nothing is held there any more.
    func end(_ part: EventHub) {
        state.withLock { state in
            guard let number = state.numbers.removeValue(forKey: ObjectIdentifier(part)) else { return }
            for target in state.queues.keys { state.queues[target]?[number] = nil }
            for target in state.held.keys { release(target, number, &state) }
        }
    }

    private func release(_ target: String, _ number: Int, _ state: inout State) {
        guard state.held[target]?.removeValue(forKey: number) != nil else { return }
        // One of another event takes nothing still.
        let other = state.held[target]?.min { $0.key < $1.key }?.value
        hub.post(other.map { .held(target: target, reason: $0) } ?? .released(target: target))
    }

    private func note(_ runEvent: RunEvent, of number: Int) {
        // Posted before anybody else says more: the last word that watchers hear is the last that was said.
        switch runEvent {
        case .queue(let target, let waiting, let sending):
            state.withLock { state in
                state.queues[target, default: [:]][number] = (waiting, sending)
                let sum = state.queues[target, default: [:]].values.reduce((0, 0)) {
                    ($0.0 + $1.waiting, $0.1 + $1.sending)
                }
                hub.post(.queue(target: target, waiting: sum.0, sending: sum.1))
            }
        case .held(let target, let reason):
            state.withLock { state in
                state.held[target, default: [:]][number] = reason
                hub.post(runEvent)
            }
        case .released(let target):
            state.withLock { state in
                // What a run begins with is held untold, until it is released.
                if state.held[target]?[number] == nil { state.held[target, default: [:]][number] = "" }
                release(target, number, &state)
            }
        default: hub.post(runEvent)
        }
    }
}
