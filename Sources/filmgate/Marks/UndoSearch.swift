import FilmgateCore
import FilmgateLedger
import FilmgateReport

/// Which order somebody takes back: by the word that it told, or by how that begins.
///
/// For who has the whole ledger anyway: over the network nobody finds another one's order by a few digits.
struct UndoSearch {
    let reader: any LedgerReader
    private static let shortest = 4, longest = 32

    /// The whole word; throws `misconfigured` where none or several begin so.
    func token(_ word: String) async throws(IngestError) -> String {
        let digits = (word.hasSuffix("…") ? String(word.dropLast()) : word).lowercased()
        let isHexadecimal = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isHexadecimal, digits.utf8.count <= Self.longest else { throw Self.unknown }
        guard digits.utf8.count >= Self.shortest else {
            throw Self.wrong(
                "`\(Describe.name(word))` is too short for an order.",
                "Give at least the first \(Self.shortest) digits of what it told.")
        }
        let found = try await (reader as? SQLiteReader)?.orders(beginning: digits) ?? []
        guard let one = found.first else { throw Self.unknown }
        guard found.count > 1 else { return one.token }
        let list = found.map { order in
            let pictures = Describe.count(order.pictures, "picture")
            return "\(order.token) (\(pictures), by \(order.by), \(TargetLine.time(order.at) ?? "?"))"
        }
        throw Self.wrong("Several orders begin with \(digits): \(list.joined(separator: ", ")).", "Give more digits.")
    }

    private static var unknown: IngestError {
        wrong(
            "There is nothing to take back by that name.",
            "Give what `filmgate mark` told, or its first digits. Only the latest thousand orders can be taken back.")
    }

    private static func wrong(_ message: String, _ advice: String) -> IngestError {
        IngestError(.misconfigured, message, advice: advice)
    }
}
