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
        var event: String?
        var since: Int64 = 0
        var isPaused = false
    }
    private let state: Mutex<State>
    private let gate: PauseGate, tell: @Sendable (Bool) -> Void

    /// `tell` is called when the run was paused (true) or goes on.
    init(event: String?, gate: PauseGate, tell: @escaping @Sendable (Bool) -> Void) {
        state = Mutex(State(event: event, since: Int64(Date().timeIntervalSince1970 * 1e9)))
        (self.gate, self.tell) = (gate, tell)
    }

    var now: State {
        var now = state.withLock { $0 }
        now.isPaused = gate.isShut
        return now
    }

    /// False when it was so already.
    func pause(_ on: Bool) -> Bool {
        guard gate.set(shut: on) else { return false }
        tell(on)
        return true
    }

    @Sendable func note(_ runEvent: RunEvent) {
        state.withLock { state in
            switch runEvent {
            case .source(let place, let change): Self.note(change, of: place, &state)
            case .device(let place, let condition): state.sources[Self.name(place)]?.condition = condition
            case .queue(let target, let waiting, let sending):
                (state.queues[target, default: Queue()].waiting, state.queues[target, default: Queue()].sending) = (waiting, sending)
                if waiting + sending == 0 { state.queues[target]?.trouble = nil }
            case .held(let target, let reason): state.queues[target, default: Queue()].trouble = "held: " + reason
            case .released(let target): state.queues[target]?.trouble = nil
            case .retrying(let target, _, let reason, _): state.queues[target, default: Queue()].trouble = "tried again: " + reason
            case .delivered(let target, _, let existed): if !existed { state.queues[target]?.trouble = nil }
            default: break
            }
        }
    }

    private static func name(_ place: SourcePlace) -> String { place.label.isEmpty ? place.source : place.label }

    private static func note(_ change: SourceState, of place: SourcePlace, _ state: inout State) {
        let name = name(place)
        var source = state.sources[name] ?? StatusSnapshot.Source(name: name)
        switch change {
        case .open(_, let leaving): (source.isUp, source.words) = (true, leaving > 0 ? "\(leaving) left there" : nil)
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
        line.add("sources", objects: sources.sorted { $0.key < $1.key }.map { Self.object($0.value) })
        line.add(
            "queues",
            objects: queues.sorted { $0.key < $1.key }.map { name, queue in
                var object = JSONWriter()
                object.add("target", name)
                object.add("waiting", queue.waiting)
                object.add("sending", queue.sending)
                object.add("trouble", queue.trouble)
                return object
            })
        return line
    }

    private static func object(_ source: StatusSnapshot.Source) -> JSONWriter {
        var object = JSONWriter()
        object.add("name", source.name)
        object.add("up", source.isUp)
        object.add("words", source.words)
        object.add("battery", source.condition.battery)
        object.add("notes", source.condition.notes)
        object.add("alarms", source.condition.alarms)
        object.add(
            "storages",
            objects: source.condition.storages.map { storage in
                var room = JSONWriter()
                room.add("free", storage.free)
                room.add("capacity", storage.capacity)
                return room
            })
        return object
    }

    /// Reads what `json` writes; nil for anything else.
    init?(line: String) {
        guard let object = JSONValue(Array(line.utf8)), object["type"]?.string == "board", let since = object["since"]?.whole else {
            return nil
        }
        (self.since, event, isPaused) = (since, object["event"]?.string, object["paused"]?.flag ?? false)
        for source in object["sources"]?.items ?? [] {
            guard let name = source["name"]?.string else { continue }
            let storages = (source["storages"]?.items ?? []).map { room in
                DeviceCondition.Storage(
                    free: UInt64(clamping: room["free"]?.whole ?? 0), capacity: UInt64(clamping: room["capacity"]?.whole ?? 0))
            }
            var condition = DeviceCondition(battery: source["battery"]?.whole.map { Int($0) }, storages: storages)
            condition.notes = source["notes"]?.texts ?? []
            condition.alarms = source["alarms"]?.texts ?? []
            sources[name] = StatusSnapshot.Source(
                name: name, isUp: source["up"]?.flag ?? true, words: source["words"]?.string, condition: condition)
        }
        for queue in object["queues"]?.items ?? [] {
            guard let name = queue["target"]?.string else { continue }
            queues[name] = LiveStatus.Queue(
                waiting: Int(queue["waiting"]?.whole ?? 0), sending: Int(queue["sending"]?.whole ?? 0), trouble: queue["trouble"]?.string)
        }
    }
}
