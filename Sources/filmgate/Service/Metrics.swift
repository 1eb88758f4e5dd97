import Dispatch
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Foundation
import Synchronization

/// What a run has done, counted from the hub's events.
///
/// A delivery counts when its target has the file, whatever other targets the file still waits for.
final class Metrics: Sendable {
    struct State {
        var endings: [Ending: Int] = [:]
        var deliveries: [String: Int] = [:], retries: [String: Int] = [:], bytesDelivered: [String: UInt64] = [:]
        var waiting: [String: Int] = [:], sending: [String: Int] = [:]
        /// Seconds since 1970: when a queue that was empty began to fill.
        var since: [String: Double] = [:]
        var held: Set<String> = []
        var bytesRead: UInt64 = 0
        var latency: [String: Histogram] = [:]
        var sources: [String: Bool] = [:]
        var refused: [String: [String: Int]] = [:]
        /// Folders by what they are for.
        var places: [String: String] = [:]
    }
    struct Histogram: Sendable {
        static let bounds: [Double] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]
        var counts = [Int](repeating: 0, count: bounds.count + 1), sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }
    private let state = Mutex(State())
    /// What the ledger said last of the targets; it is asked by one scrape at a time.
    private struct Counts {
        var targets: [LedgerTotals.Target] = [], isAsking = false, spacing = Spacing()
        /// Changes that the catalogue was not told yet.
        var behind: Int64?
    }
    /// What this station's catalogue is measured by.
    private struct Station {
        var gauges: CatalogGauges, ledger: SQLiteLedger
    }
    private let station = Mutex<Station?>(nil)
    private let counts = Mutex(Counts())
    private let ledger: any LedgerReader
    private let patience: DispatchTimeInterval

    /// `patience`: how long a scrape waits for the ledger.
    init(_ ledger: any LedgerReader, patience: DispatchTimeInterval = .seconds(2)) {
        (self.ledger, self.patience) = (ledger, patience)
    }

    /// From now on it is told how this station stands with its catalogue.
    func follow(_ gauges: CatalogGauges, _ ledger: SQLiteLedger) {
        station.withLock { $0 = Station(gauges: gauges, ledger: ledger) }
    }

    /// From now on the free room of these folders is told: the folder targets' by name, and the spool's.
    func watch(_ places: [String: String]) { state.withLock { $0.places = places } }

    @Sendable func note(_ runEvent: RunEvent) {
        state.withLock { state in
            switch runEvent {
            case .settled(let settled): state.endings[settled.ending, default: 0] += 1
            case .read(let bytes): state.bytesRead += bytes
            case .queue(let target, let waiting, let sending): Self.queue(target, waiting, sending, &state)
            case .delivered(let target, let origin, let existed): Self.delivered(target, origin, existed, &state)
            case .retrying(let target, _, _, _): state.retries[target, default: 0] += 1
            case .held(let target, _): state.held.insert(target)
            case .released(let target): state.held.remove(target)
            case .refused(let place, let what): state.refused[Self.name(place), default: [:]][what, default: 0] += 1
            case .source(let place, let change):
                switch change {
                case .open, .back: state.sources[Self.name(place)] = true
                case .lost: state.sources[Self.name(place)] = false
                case .finished: state.sources[Self.name(place)] = nil
                }
            case .listed, .started, .companion, .trouble, .waiting, .device, .takenElsewhere: break
            }
        }
    }

    private static func name(_ place: SourcePlace) -> String { "\(place.source) \(place.label)" }

    private static func queue(_ target: String, _ waiting: Int, _ sending: Int, _ state: inout State) {
        (state.waiting[target], state.sending[target]) = (waiting, sending)
        if waiting + sending == 0 {
            state.since[target] = nil
            state.held.remove(target)
        } else if state.since[target] == nil {
            state.since[target] = Date().timeIntervalSince1970
        }
    }

    private static func delivered(_ target: String, _ origin: Origin, _ existed: Bool, _ state: inout State) {
        state.held.remove(target)
        guard !existed else { return }
        state.deliveries[target, default: 0] += 1
        state.bytesDelivered[target, default: 0] += origin.size
        let age = Date().timeIntervalSince1970 - Double(origin.modified) / 1e9
        // What is older was not shot just now, or its camera's clock is wrong.
        if (0...3600).contains(age) { state.latency[target, default: Histogram()].add(age) }
    }

    /// The exposition format, version 0.0.4; asks the ledger how long what waits has waited.
    ///
    /// Blocks, two seconds at most; a ledger that takes long is believed for a while.
    var text: String {
        let counts = totals(), reading = station.withLock { $0?.gauges.reading }
        let station = reading.map { MetricsText.Station(reading: $0, behind: counts.behind) }
        return MetricsText(state: state.withLock { $0 }, totals: counts.targets, station: station).text
    }

    private func totals() -> Counts {
        let start = ContinuousClock.now
        let isMine = counts.withLock { counts in
            guard !counts.isAsking, counts.spacing.isDue(at: start) else { return false }
            counts.isAsking = true
            return true
        }
        guard isMine else { return counts.withLock(\.self) }
        let done = DispatchSemaphore(value: 0)
        Task { [self] in
            let totals = await Result { () async throws(IngestError) in try await ledger.totals() }
            let joined = station.withLock { $0?.ledger }
            let place = await Result { () async throws(IngestError) in try await joined?.station() }
            counts.withLock { counts in
                counts.isAsking = false
                counts.spacing.took(from: start, to: .now)
                counts.targets = (try? totals.get())?.targets ?? counts.targets
                counts.behind = (try? place.get())?.waiting ?? counts.behind
            }
            done.signal()
        }
        _ = done.wait(timeout: .now() + patience)
        return counts.withLock(\.self)
    }
}
