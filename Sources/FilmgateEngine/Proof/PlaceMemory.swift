public import FilmgateCore
import Synchronization

/// What the ledger remembers of the places that a card's files lie at, asked for once a volume.
final class PlaceMemory: Sendable {
    private let volumes = Mutex<[String: Set<Fingerprint>]>([:])

    /// Whether this very file was taken before, by its place, size and times.
    func knows(_ origin: Origin, _ reader: any LedgerReader) async throws(IngestError) -> Bool {
        if let known = volumes.withLock({ $0[origin.volume] }) { return known.contains(origin.fingerprint) }
        let read = Set(try await reader.known(volume: origin.volume).filter(\.hasContent).map(\.fingerprint))
        volumes.withLock { $0[origin.volume] = read }
        return read.contains(origin.fingerprint)
    }
}

extension CardProof {
    static let misread =
        "different bytes were imported from here earlier: it was misread then or now; "
        + "`filmgate import --again` reads it again"

    /// How many files the ledger knows of the place that are not on it any more.
    public func gone(from session: any SourceSession, now entries: [SourceEntry]) async throws(IngestError) -> Int {
        let known = try await reader.known(volume: session.volume, below: session.traits.home)
        let there = Set(entries.map(\.origin.volumePath))
        return Set(known.lazy.filter(\.hasContent).map(\.fingerprint.path)).subtracting(there).count
    }
}
