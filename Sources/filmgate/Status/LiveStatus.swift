import FilmgateCore
import FilmgateEngine
import Foundation
import Synchronization

/// What a run knows of itself beyond the ledger: its sources, and what its queues are doing now.
final class LiveStatus: Sendable {
    struct Queue: Sendable, Equatable { var waiting = 0, sending = 0, trouble: String? }
    struct State: Sendable, Equatable {
        var sources: [String: StatusSnapshot.Source] = [:]
        var queues: [String: Queue] = [:]
        /// The places that the run delivers to, by the name of the target: a name may have been another place's before.
        var identities: [String: String] = [:]
        var event: String?
        var since: Int64 = 0
        var isPaused = false
        /// Nil where the run tells no catalogue.
        var catalog: CatalogUptime?
    }
    private let state: Mutex<State>
    private let gauges = Mutex<CatalogGauges?>(nil)
    private let gate: PauseGate, tell = Mutex<(@Sendable (Bool) -> Void)?>(nil)

    init(event: String?, gate: PauseGate) {
        state = Mutex(State(event: event, since: Int64(Date().timeIntervalSince1970 * 1e9)))
        self.gate = gate
    }

    /// The run goes on with another event.
    func begin(event: String) { state.withLock { $0.event = event } }

    /// From now on the run delivers to the places of this plan.
    ///
    /// A name that stands for several of them says nothing of either.
    func take(_ plan: Plan) {
        let places = Dictionary(grouping: plan.connections, by: { $0.name }).mapValues { group in
            Set(group.map { $0.target.traits.identity })
        }
        state.withLock { $0.identities = places.compactMapValues { $0.count == 1 ? $0.first : nil } }
    }

    /// From now on it is told how the catalogue answers; nil = there is none.
    func follow(_ gauges: CatalogGauges?) { self.gauges.withLock { $0 = gauges } }

    /// `tell` is called when the run was paused (true) or goes on.
    func whenPaused(_ tell: @escaping @Sendable (Bool) -> Void) { self.tell.withLock { $0 = tell } }

    var now: State {
        var now = state.withLock { $0 }
        now.isPaused = gate.isShut
        now.catalog = gauges.withLock(\.self).map { CatalogUptime($0.reading) }
        return now
    }

    /// False when it was so already.
    func pause(_ on: Bool) -> Bool {
        guard gate.set(shut: on) else { return false }
        tell.withLock(\.self)?(on)
        return true
    }

    @Sendable func note(_ runEvent: RunEvent) {
        state.withLock { state in
            switch runEvent {
            case .source(let place, let change): Self.note(change, of: place, &state)
            case .device(let place, let condition): state.sources[Self.name(place)]?.condition = condition
            case .queue(let target, let waiting, let sending):
                (state.queues[target, default: Queue()].waiting, state.queues[target, default: Queue()].sending) = (
                    waiting, sending
                )
                if waiting + sending == 0 { state.queues[target]?.trouble = nil }
            case .held(let target, let reason): state.queues[target, default: Queue()].trouble = "held: " + reason
            case .released(let target): state.queues[target]?.trouble = nil
            case .retrying(let target, _, let reason, _):
                state.queues[target, default: Queue()].trouble = "tried again: " + reason
            case .delivered(let target, _, let existed): if !existed { state.queues[target]?.trouble = nil }
            default: break
            }
        }
    }

    static func name(_ place: SourcePlace) -> String { place.label.isEmpty ? place.source : place.label }

    private static func note(_ change: SourceState, of place: SourcePlace, _ state: inout State) {
        let name = name(place)
        var source = state.sources[name] ?? StatusSnapshot.Source(name: name)
        source.module = place.source
        switch change {
        case .open(_, let leaving, let others):
            let left = leaving + others.values.reduce(0, +)
            (source.isUp, source.words) = (true, left > 0 ? "\(left) left there" : nil)
        case .back: (source.isUp, source.words) = (true, nil)
        case .lost(let error): (source.isUp, source.words) = (false, error.message)
        case .finished:
            state.sources[name] = nil
            return
        }
        state.sources[name] = source
    }
}

extension LiveStatus.State {
    /// One line for whoever asks over the control socket.
    var json: JSONWriter {
        var line = JSONWriter()
        line.add("type", "board")
        line.add("since", Int(since))
        line.add("event", event)
        line.add("paused", isPaused)
        line.add("sources", objects: sources.sorted { $0.key < $1.key }.map { StatusLine.object($0.value) })
        line.add(
            "queues",
            objects: queues.keys.sorted().compactMap(queueObject))
        if let catalog { line.add("catalog", catalog.object) }
        return line
    }

    /// What one target's queue does now; nil for a target that has none.
    func queueObject(_ target: String) -> JSONWriter? {
        queues[target].map { Self.object(target, $0, at: identities[target]) }
    }

    /// How a source fares; with its name alone when it is finished.
    func sourceObject(_ name: String) -> JSONWriter {
        guard let source = sources[name] else {
            var object = JSONWriter()
            object.add("name", name)
            object.add("finished", true)
            return object
        }
        return StatusLine.object(source)
    }

    private static func object(_ target: String, _ queue: LiveStatus.Queue, at identity: String?) -> JSONWriter {
        var object = JSONWriter()
        object.add("target", target)
        object.add("identity", identity)
        object.add("waiting", queue.waiting)
        object.add("sending", queue.sending)
        object.add("trouble", queue.trouble)
        return object
    }

    /// Reads what `json` writes; nil for anything else.
    init?(line: String) {
        guard let object = JSONValue(Array(line.utf8)), object["type"]?.string == "board",
            let since = object["since"]?.whole
        else {
            return nil
        }
        (self.since, event, isPaused) = (since, object["event"]?.string, object["paused"]?.flag ?? false)
        catalog = object["catalog"].flatMap { CatalogUptime($0) }
        for source in object["sources"]?.items ?? [] {
            guard let name = source["name"]?.string else { continue }
            let storages = (source["storages"]?.items ?? []).map { room in
                DeviceCondition.Storage(
                    free: UInt64(clamping: room["free"]?.whole ?? 0),
                    capacity: UInt64(clamping: room["capacity"]?.whole ?? 0))
            }
            var condition = DeviceCondition(battery: source["battery"]?.whole.map { Int($0) }, storages: storages)
            condition.notes = source["notes"]?.texts ?? []
            condition.alarms = source["alarms"]?.texts ?? []
            sources[name] = StatusSnapshot.Source(
                name: name, isUp: source["up"]?.flag ?? true, words: source["words"]?.string, condition: condition,
                module: source["module"]?.string)
        }
        for queue in object["queues"]?.items ?? [] {
            guard let name = queue["target"]?.string else { continue }
            queues[name] = LiveStatus.Queue(
                waiting: Int(queue["waiting"]?.whole ?? 0), sending: Int(queue["sending"]?.whole ?? 0),
                trouble: queue["trouble"]?.string)
            identities[name] = queue["identity"]?.string
        }
    }
}
