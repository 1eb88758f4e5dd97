import FilmgateCore
import PQKit

/// What happened at a station, as `report_v1` takes it: a list for each column, and one place of all for each fact.
extension StationReport {
    var values: [PQValue] { contentValues + sightingValues + deliveryValues }

    private var contentValues: [PQValue] {
        let facts = contents
        return [
            .bytes(facts.map { Digits.bytes($0.sha256) }), .int8s(facts.map { Int64(clamping: $0.size) }),
            .int8s(facts.map(\.captured)), .int2s(facts.map { Int16(MediaKind.allCases.firstIndex(of: $0.kind) ?? 0) }),
        ]
    }

    private var sightingValues: [PQValue] {
        let facts = sightings
        return [
            .uuids(facts.map { CatalogLetters.number(of: $0.origin.id) }),
            .int8s(facts.map { CatalogLetters.number(of: $0.origin.volume) }), .int8s(facts.map(\.at)),
            .chars(facts.map { CatalogLetters.letter(of: $0.ending) }),
            .bytes(facts.map { $0.sha256.flatMap(Digits.bytes) }),
            .texts(facts.map(\.origin.volumePath)),
        ]
    }

    private var deliveryValues: [PQValue] {
        let facts = deliveries
        return [
            .bytes(facts.map { Digits.bytes($0.content.sha256) }),
            .bytes(facts.map { Digits.bytes($0.content.beside ?? "") }), .texts(facts.map(\.target)),
            .texts(facts.map(\.targetName)), .bools(facts.map(\.shared)),
            .chars(facts.map { CatalogLetters.letter(of: $0.state) }),
            .chars(facts.map { CatalogLetters.letter(of: $0.proof) }), .int8s(facts.map { Int64(clamping: $0.size) }),
            .bytes(facts.map { $0.sent.flatMap(Digits.bytes) }), .texts(facts.map(\.receipt)),
        ]
    }
}
