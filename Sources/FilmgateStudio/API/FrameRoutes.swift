import FilmgateCore
import FilmgateLedger
import FilmgateReport
import HTTPTypes

extension StudioAPI {
    var frameRoutes: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/frames", need: .role(.view), id: "frames",
                summary: "Files that were seen, newest first; every one can be reached.",
                parameters: [
                    Self.at, Self.limit,
                    .init(name: "cursor", kind: .text(longest: 64), help: "`next` of the page before; new files do not move what follows."),
                ] + Self.frameFilters, answer: .init(status: 200, help: "A part of the list.", shape: "Frames")
            ) { call in try await frames(call) },
            Route(
                method: .get, path: "/api/v1/frames/{id}", need: .role(.view), id: "frame",
                summary: "A file: what it is, where its copies are, and what decided.",
                parameters: [.init(name: "id", kind: .text(longest: 16), help: "As the list names it.", isInPath: true)],
                answer: .init(status: 200, help: "The file.", shape: "File")
            ) { call in try await frame(call) },
        ]
    }

    static let frameFilters: [Route.Parameter] = [
        .init(name: "ending", kind: .words(Ending.allCases.map(\.rawValue) + ["unfinished"]), help: "Only those."),
        .init(name: "kind", kind: .words(MediaKind.allCases.map(\.rawValue)), help: "Only those."),
        .init(name: "run", kind: .number(0...Int(Int32.max)), help: "Last met by this run; from role operate."),
        .init(name: "event", kind: .text(longest: 1000), help: "Of this event; from role operate."),
        .init(
            name: "q", kind: .text(longest: 200),
            help: "Part of a name, at least 6 digits of the beginning of a SHA-256; from role operate also a serial number."),
    ]

    /// The list, and the places in it of what fits; nil when all of it does.
    func chosen(_ call: Call) async throws -> (LedgerView.Listing, [Int]?) {
        let filter = try Self.filter(call), listing = try await ledger.listing()
        let isAsked = !filter.text.isEmpty && call.role >= .operate
        let contents = isAsked ? try await listing.reader?.contents(matching: filter.text) ?? [] : try await digests(filter.text, listing)
        return (listing, await ledger.positions(filter, contents: contents, in: listing))
    }

    private func frames(_ call: Call) async throws -> Answer {
        let (listing, positions) = try await chosen(call), index = listing.index, total = positions?.count ?? index.count
        let place = { (number: Int) in positions?[number] ?? number }
        let start = try start(call, index, total, place), end = min(total, start + (call.number("limit") ?? 100))
        let entries = start < end ? (start..<end).map { index.entries[place($0)] } : []
        let items = try await items(entries, listing, call.role)
        var object = JSONWriter()
        object.add("type", "frames")
        object.add("total", total)
        object.add("at", start)
        object.add("next", end < total ? entries.last.map(cursor) : nil)
        object.add("revision", listing.revision)
        object.add("frames", objects: items)
        return .json(object.finished)
    }

    /// For those who may not look for serial numbers.
    private func digests(_ text: String, _ listing: LedgerView.Listing) async throws -> Set<Int64> {
        guard text.utf8.count >= 16, AccessSecret.bytes(text.utf8.count % 2 == 0 ? text.lowercased() : text.lowercased() + "0") != nil
        else {
            return []
        }
        return try await listing.reader?.contents(matching: text.lowercased()) ?? []
    }

    private static func filter(_ call: Call) throws(StudioError) -> FrameFilter {
        for name in ["run", "event"] where call.values[name] != nil && call.role < .operate { throw .role(.operate, has: call.role) }
        var filter = FrameFilter()
        if let words = call.values["ending"]?.split(separator: ",").map(String.init) {
            filter.endings = Set(words.compactMap { Ending(rawValue: $0) })
            filter.isUnfinished = words.contains("unfinished")
        }
        filter.kinds = call.values["kind"].map { Set($0.split(separator: ",").compactMap { MediaKind(rawValue: String($0)) }) }
        (filter.run, filter.event, filter.text) = (call.number("run").map { Int64($0) }, call.values["event"], call.values["q"] ?? "")
        return filter
    }

    /// Where the page begins: at a place, or behind the file that a cursor names.
    private func start(_ call: Call, _ index: FrameIndex, _ total: Int, _ place: (Int) -> Int) throws(StudioError) -> Int {
        guard let text = call.values["cursor"] else { return min(call.number("at") ?? 0, total) }
        guard call.values["at"] == nil else { throw .usage("Either `at` or `cursor`.") }
        let parts = text.split(separator: "-")
        guard parts.count == 2, let since = Int64(parts[0]), let number = UInt64(parts[1], radix: 16) else {
            throw .usage("This is no cursor.", advice: "Take `next` of the page before.")
        }
        // The list goes down in time.
        var low = 0, high = total
        while low < high {
            let middle = (low + high) / 2
            if index.entries[place(middle)].since > since { low = middle + 1 } else { high = middle }
        }
        while low < total, index.entries[place(low)].since == since {
            low += 1
            if index.entries[place(low - 1)].number(key) == number { break }
        }
        return low
    }

    private func cursor(_ entry: FrameEntry) -> String { "\(entry.since)-\(String(entry.number(key), radix: 16))" }

    /// Each file as `history --json` would tell it, with its name here.
    func items(_ entries: [FrameEntry], _ listing: LedgerView.Listing, _ role: Role) async throws -> [JSONWriter] {
        guard let reader = listing.reader, !entries.isEmpty else { return [] }
        let rows = try await reader.rows(of: entries)
        pictures.listed.add(entries.map { ($0.number(key), $0) })
        let contents = rows.map { $0?.content }, receipts = try await reader.receipts(of: contents.compactMap { $0 })
        let marks = try await FrameMarks(contents.compactMap { $0?.sha256 }, reader, role)
        var next = receipts.makeIterator()
        return zip(entries, zip(rows, contents)).map { entry, found in
            let receipts = found.1 == nil ? [] : next.next() ?? []
            return FrameObject.item(found.0, entry, id: id(entry), receipts: receipts, marks, role)
        }
    }

    func id(_ entry: FrameEntry) -> String {
        let digits = String(entry.number(key), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The file that the list names so.
    func file(_ id: String) async throws -> (row: AssetRow, entry: FrameEntry, reader: SQLiteReader) {
        let none = StudioError(.notFound, "notFound", "There is no such file.", advice: "The list may have changed: read it again.")
        guard id.utf8.count == 16, let number = UInt64(id, radix: 16) else { throw none }
        if let entry = pictures.listed[number], let reader = try await ledger.reader(),
            let row = try await reader.rows(of: [entry]).first ?? nil
        {
            return (row, entry, reader)
        }
        let listing = try await ledger.listing()
        guard let reader = listing.reader, let entry = listing.index.entry(numbered: number, key),
            let row = try await reader.rows(of: [entry]).first ?? nil
        else { throw none }
        return (row, entry, reader)
    }

    private func frame(_ call: Call) async throws -> Answer {
        let (row, entry, reader) = try await file(call.values["id"] ?? "")
        let deliveries = if let content = row.content { try await reader.deliveries(of: content) } else { [DeliveryRow]() }
        let receipts = deliveries.map { NamedReceipt(target: $0.targetName, receipt: $0.receipt) }
        let marks = try await FrameMarks([row.content?.sha256].compactMap { $0 }, reader, call.role)
        var object = JSONWriter()
        object.add("type", "file")
        object.add("frame", FrameObject.item(row, entry, id: id(entry), receipts: receipts, marks, call.role))
        object.add("facts") { if let media = row.media { ItemLine.details(FrameObject.shown(media, call.role), into: &$0) } }
        guard call.role >= .operate else {
            object.add("wanted", [])
            for list in ["deliveries", "places", "notes"] { object.add(list, objects: []) }
            return .json(object.finished)
        }
        let places = if let sha256 = row.digests?.sha256 { try await reader.assets(sha256: sha256) } else { [row] }
        let notes = try await reader.notes(of: row.origin.id, limit: 100)
        object.add("wanted", row.wanted)
        object.add("deliveries", objects: deliveries.map { FrameObject.delivery($0) })
        object.add("places", objects: places.map(FrameObject.place))
        object.add("notes", objects: notes.map(FrameObject.note))
        return .json(object.finished)
    }
}
