import FilmgateCore
import FilmgateLedger
import FilmgateReport
import HTTPTypes

/// Files by their numbers on the page, and what is told of them.
struct Frames: Sendable {
    let ledger: LedgerView
    /// For numbers of files that tell nothing.
    let key: SipKey

    func id(_ entry: FrameEntry) -> String { Self.id(entry.number) }

    /// Sixteen digits.
    static func id(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    func ids(_ entry: FrameEntry) -> FrameObject.Names { .init(own: id(entry), lead: entry.lead.map(Self.id)) }

    /// The file that the list names so, if who asks may see it.
    func file(_ id: String, _ call: Call) async throws -> (row: AssetRow, entry: FrameEntry, reader: SQLiteReader) {
        guard id.utf8.count == 16, let number = UInt64(id, radix: 16),
            let (entry, reader) = try await ledger.entry(number),
            let row = try await reader.rows(of: [entry], key).first ?? nil,
            call.scope.holds(event: row.event, since: entry.since)
        else {
            throw StudioError(
                .notFound, "notFound", "There is no such file.", advice: "The list may have changed: read it again.")
        }
        return (row, entry, reader)
    }

    /// Each file as `history --json` would tell it, with its name here; or only what a sheet shows of it.
    func items(
        _ entries: [FrameEntry], _ reader: SQLiteReader, _ role: Role, isBrief: Bool
    ) async throws -> [JSONWriter] {
        try await found(entries, reader).map { isBrief ? brief($0, role) : item($0, role) }
    }

    /// What a sheet shows, for those who may see everything, and for those who may not; read once.
    func texts(_ entries: [FrameEntry], _ reader: SQLiteReader) async throws -> [StudioStream.Frame] {
        try await found(entries, reader).map { found in
            StudioStream.Frame(
                whole: brief(found, .operate).finished, shown: brief(found, .view).finished, event: found.row?.event,
                since: found.entry.since)
        }
    }

    private typealias Found = (entry: FrameEntry, row: AssetRow?, receipts: [NamedReceipt], marks: FrameMarks)

    private func found(_ entries: [FrameEntry], _ reader: SQLiteReader) async throws -> [Found] {
        guard !entries.isEmpty else { return [] }
        let rows = try await reader.rows(of: entries, key)
        let receipts = try await reader.receipts(of: rows.compactMap { $0?.content })
        let marks = try await FrameMarks(rows.compactMap { $0?.content?.sha256 }, reader)
        var next = receipts.makeIterator()
        return zip(entries, rows).map { entry, row in
            (entry, row, row?.content == nil ? [] : next.next() ?? [], marks)
        }
    }

    private func brief(_ found: Found, _ role: Role) -> JSONWriter {
        FrameObject.brief(found.row, found.entry, ids(found.entry), receipts: found.receipts, found.marks, role)
    }

    private func item(_ found: Found, _ role: Role) -> JSONWriter {
        FrameObject.item(found.row, found.entry, ids(found.entry), receipts: found.receipts, found.marks, role)
    }
}
