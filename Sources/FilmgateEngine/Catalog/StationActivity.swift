import FilmgateCore
import Synchronization

/// How far each card is read that this process takes, and what else it takes from, for what a station says of itself.
final class StationActivity: Sendable {
    private struct Card {
        var volume: String?, files = 0, over = 0
        /// Files that are being read, or wait for a target, as hashes.
        var begun: Set<Int> = []

        /// Nil where all of it is read, and where nothing of it is.
        var percent: Int? {
            let read = over + begun.count
            return 0 < read && read < files ? read * 100 / files : nil
        }
    }
    /// By where they are mounted.
    private let cards = Mutex<[String: Card]>([:])
    /// What people call cameras, watched folders and receivers, by their addresses.
    private let places = Mutex<[String: String]>([:])

    @Sendable func note(_ event: RunEvent) {
        if case .source(let place, let state) = event, place.source != "card" { note(place, state) }
        cards.withLock { cards in
            switch event {
            case .listed(let place, let entries, _): cards[place.address, default: Card()].files += entries
            case .started(let origin):
                cards[origin.root]?.volume = origin.volume
                cards[origin.root]?.begun.insert(origin.id.hashValue)
            case .settled(let settled):
                let origin = settled.asset.origin
                cards[origin.root]?.volume = origin.volume
                cards[origin.root]?.begun.remove(origin.id.hashValue)
                cards[origin.root]?.over += 1
            case .source(let place, .finished): cards[place.address] = nil
            default: break
            }
        }
    }

    private func note(_ place: SourcePlace, _ state: SourceState) {
        switch state {
        case .open, .back: places.withLock { $0[place.address] = place.label.isEmpty ? place.source : place.label }
        case .lost, .finished: places.withLock { $0[place.address] = nil }
        }
    }

    /// Those that are within reach now, by name.
    var sources: [String] { places.withLock { $0.values.sorted() } }

    func percent(of volume: String) -> Int? {
        cards.withLock { cards in cards.values.first { $0.volume == volume && $0.percent != nil }?.percent }
    }
}
