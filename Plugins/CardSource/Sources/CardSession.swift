import CardKit
import FileKit
import FilmgateCore
import Glibc

/// One open card or dump.
final class CardSession: DiagnosingSession {
    let place: SourcePlace
    private let card: Card, names: Set<String>?, hidden: Bool
    private let pool = BlockingPool(width: 4)

    init(place: SourcePlace, only names: Set<String>?, card: Card, hidden: Bool) {
        (self.place, self.names, self.card, self.hidden) = (place, names, card, hidden)
    }

    var volume: String { card.volume.identity }
    var traits: SessionTraits { SessionTraits(identifiesDevice: true, parallelFetches: 4, home: card.home) }

    func entries() async throws(IngestError) -> [SourceEntry] {
        let (card, names, hidden) = (card, names, hidden)
        return try await pool.stoppable { stop throws(IngestError) in
            let table = try MountTable.current()
            let listing = try Listing(
                card, only: names, hidden: hidden || names != nil, isMountPoint: { table.isMountPoint($0) },
                cancelled: { stop.isRaised })
            var builder = ShotBuilder(card, listing, hidden: hidden || names != nil)
            return builder.build()
        }
    }

    func localPath(_ origin: Origin) -> String? { origin.absolutePath }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        try await pool.stoppable { stop throws(IngestError) in
            try FileSender(origin.absolutePath, promised: origin.size).send(
                from: offset, into: sink, cancelled: { stop.isRaised })
        }
    }

    func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate? {
        let (mount, root) = (card.volume.mount, card.root)
        let isThere = try await pool.run { () throws(IngestError) in
            let table = try MountTable.current(), there = table.mount(of: mount.point)
            guard there?.point == mount.point, there?.device == mount.device else { return false }
            // A folder may be moved away from under its name while its disk stays.
            return (try? FileFacts.of(root))?.kind == .directory
        }
        if !isThere {
            throw IngestError(.deviceGone, "\(place.label) was taken out.", advice: "Put it back in; nothing is lost.")
        }
        return nil
    }

    func close() async {}
}
