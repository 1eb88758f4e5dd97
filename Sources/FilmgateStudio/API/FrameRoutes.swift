import FilmgateCore
import FilmgateLedger
import FilmgateReport
import HTTPTypes

/// The list of all files, and what is known of one.
struct FrameRoutes: Sendable {
    let api: StudioAPI
    private var ledger: LedgerView { api.ledger }

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/frames", need: .role(.view), id: "frames",
                summary: "Files that were seen, newest first; every one can be reached.",
                parameters: [
                    StudioAPI.at, StudioAPI.limit,
                    .init(
                        name: "cursor", kind: .text(longest: 64),
                        help: "`next` of the page before; new files do not move what follows."),
                    .init(
                        name: "brief", kind: .number(0...1),
                        help: "1: of each file only what a sheet shows, as the stream tells it."),
                    .init(
                        name: "group", kind: .words(["shot"]),
                        help: "RAW, JPEG, sidecars and memos of one shot as one file, with the others in `others`."),
                ] + Self.filters, answer: .init(status: 200, help: "A part of the list.", shape: "Frames")
            ) { call in try await frames(call) },
            Route(
                method: .get, path: "/api/v1/frames/{id}", need: .role(.view), id: "frame",
                summary: "A file: what it is, where its copies are, and what decided.",
                parameters: [
                    .init(name: "id", kind: .text(longest: 16), help: "As the list names it.", isInPath: true)
                ],
                answer: .init(status: 200, help: "The file.", shape: "File")
            ) { call in try await frame(call) },
        ]
    }

    private static let states: [Receipt.State] = [.done, .pending, .held, .failed, .excluded]
    static let filters: [Route.Parameter] = [
        .init(name: "ending", kind: .words(Ending.allCases.map(\.rawValue) + ["unfinished"]), help: "Only those."),
        .init(name: "kind", kind: .words(MediaKind.allCases.map(\.rawValue)), help: "Only those."),
        .init(name: "run", kind: .number(0...Int(Int32.max)), help: "Last met by this run; from role operate."),
        .init(name: "event", kind: .text(longest: 1000), help: "Of this event; from role operate."),
        .init(name: "without", kind: .words(["event"]), help: "Without an event; from role operate."),
        .init(
            name: "rating", kind: .number(1...PictureMark.ratings.upperBound),
            help: "With so many stars or more, by a person's word or the camera's."),
        .init(name: "pick", kind: .words(PictureMark.Pick.allCases.map(\.rawValue)), help: "Only those."),
        .init(
            name: "camera", kind: .text(longest: 200),
            help: "With this in its make and model; from role operate also a serial number."),
        .init(
            name: "target", kind: .text(longest: 1000),
            help: "With a delivery to this target, by its name; from role operate."),
        .init(
            name: "state", kind: .words(FrameRoutes.states.map(\.rawValue)),
            help: "With a delivery in one of these states, to `target` where it is given; from role operate."),
        .init(name: "from", kind: .time, help: "First met then or later."),
        .init(name: "to", kind: .time, help: "First met then or before."),
        .init(
            name: "q", kind: .text(longest: 200),
            help:
                "Part of a name, at least 6 digits of the beginning of a SHA-256; from role operate also a serial number."
        ),
    ]

    /// What the list is asked for, and what the ledger found for its text.
    func chosen(_ call: Call) async throws -> (filter: FrameFilter, finds: FrameFinds) {
        var filter = try Self.filter(call)
        call.scope.narrow(&filter)
        return (filter, try await finds(filter, call.role))
    }

    private func frames(_ call: Call) async throws -> Answer {
        let (asked, finds) = try await chosen(call)
        var filter = asked, scope = FrameFilter()
        call.scope.narrow(&scope)
        filter.isByShot = call.values["group"] != nil
        let limit = call.number("limit") ?? 100, isBrief = call.number("brief") == 1
        let listing = try await ledger.listing(
            filter, finds: finds, within: scope, from: try place(call), limit: limit)
        let part = listing.part, entries = part.entries
        var items: [JSONWriter] = []
        if let reader = listing.reader {
            items = try await api.frames.items(entries, reader, call.role, isBrief: isBrief)
            try await add(part.others, to: &items, reader, call.role)
        }
        var object = JSONWriter()
        object.add("type", "frames")
        object.add("total", part.total)
        object.add("files", part.files)
        object.add("at", part.start)
        object.add("next", part.start + entries.count < part.total ? entries.last.map(cursor) : nil)
        object.add("revision", listing.revision)
        object.add("until", part.newest.map(cursor))
        object.add("frames", objects: items)
        return .json(object.finished)
    }

    /// The other files of each one's shot; none where the list is not by shots.
    private func add(
        _ others: [[FrameEntry]], to items: inout [JSONWriter], _ reader: SQLiteReader, _ role: Role
    ) async throws {
        guard others.count == items.count else { return }
        var rest = try await api.frames.items(others.flatMap { $0 }, reader, role, isBrief: true)[...]
        for place in items.indices {
            items[place].add("others", objects: Array(rest.prefix(others[place].count)))
            rest = rest.dropFirst(others[place].count)
        }
    }

    /// What the ledger finds for a filter.
    private func finds(_ filter: FrameFilter, _ role: Role) async throws -> FrameFinds {
        var finds = try await finds(filter.text, role)
        if let camera = filter.camera {
            let reader = try await ledger.reader()
            finds.onlyBodies = try await reader?.cameras(called: camera, serials: role >= .operate) ?? NumberSet()
        }
        if filter.target != nil || filter.states != nil {
            finds.onlyContents = try await ledger.contents(ofTarget: filter.target, states: filter.states)
        }
        return finds
    }

    /// What the ledger finds for a text; who may not look for serial numbers finds a SHA-256 alone.
    private func finds(_ text: String, _ role: Role) async throws -> FrameFinds {
        let isTrusted = role >= .operate, digits = text.lowercased()
        if !isTrusted {
            let count = text.utf8.count, whole = count % 2 == 0 ? digits : digits + "0"
            guard count >= 16, AccessSecret.bytes(whole) != nil else { return FrameFinds() }
        }
        guard !text.isEmpty else { return FrameFinds() }
        return try await ledger.reader()?.finds(isTrusted ? text : digits, serials: isTrusted) ?? FrameFinds()
    }

    private static func filter(_ call: Call) throws(StudioError) -> FrameFilter {
        for name in ["run", "event", "without", "target", "state"]
        where call.values[name] != nil && call.role < .operate {
            throw .role(.operate, has: call.role)
        }
        var filter = FrameFilter()
        if let words = call.values["ending"]?.split(separator: ",").map(String.init) {
            filter.endings = Set(words.compactMap { Ending(rawValue: $0) })
            filter.isUnfinished = words.contains("unfinished")
        }
        filter.kinds = call.words("kind")
        (filter.run, filter.text) = (call.number("run").map { Int64($0) }, call.values["q"] ?? "")
        (filter.event, filter.isWithoutEvent) = (call.values["event"], try call.isWithoutEvent)
        filter.picks = call.words("pick")
        filter.states = call.words("state")
        (filter.stars, filter.camera) = (call.number("rating"), call.values["camera"])
        filter.target = call.values["target"]
        (filter.from, filter.to) = (call.time("from"), call.time("to", last: true))
        return filter
    }

    /// Where the page begins: at a place, or behind the file that a cursor names.
    private func place(_ call: Call) throws(StudioError) -> FramePlace {
        guard let text = call.values["cursor"] else { return .at(call.number("at") ?? 0) }
        guard call.values["at"] == nil else { throw .usage("Either `at` or `cursor`.") }
        guard let last = Self.bound(text) else {
            throw .usage("This is no cursor.", advice: "Take `next` of the page before.")
        }
        return .behind(since: last.since, number: last.number)
    }

    /// The file that a cursor names, by its place in the order of the list; nil for what is no cursor.
    static func bound(_ cursor: String) -> FrameBound? {
        let parts = cursor.split(separator: "-")
        guard parts.count == 2, let since = Int64(parts[0]), let number = UInt64(parts[1], radix: 16) else {
            return nil
        }
        return FrameBound(since: since, number: number)
    }

    private func cursor(_ entry: FrameEntry) -> String { "\(entry.since)-\(String(entry.number, radix: 16))" }

    private func frame(_ call: Call) async throws -> Answer {
        let (row, entry, reader) = try await api.frames.file(call.values["id"] ?? "", call)
        let deliveries =
            if let content = row.content { try await reader.deliveries(of: content) } else { [DeliveryRow]() }
        let receipts = deliveries.map { NamedReceipt(target: $0.targetName, receipt: $0.receipt) }
        let marks = try await FrameMarks([row.content?.sha256].compactMap { $0 }, reader)
        var object = JSONWriter()
        object.add("type", "file")
        object.add(
            "frame", FrameObject.item(row, entry, api.frames.ids(entry), receipts: receipts, marks, call.role))
        object.add("facts") {
            if let media = row.media { ItemLine.details(FrameObject.shown(media, call.role), into: &$0) }
        }
        guard call.role >= .operate else {
            object.add("wanted", [])
            for list in ["deliveries", "places", "notes"] { object.add(list, objects: []) }
            return .json(object.finished)
        }
        let places = if let sha256 = row.digests?.sha256 { try await reader.assets(sha256: sha256) } else { [row] }
        let notes = try await reader.notes(of: row.origin.id, limit: 100)
        object.add("wanted", row.wanted)
        object.add("deliveries", objects: deliveries.map { FrameObject.delivery($0, file: row.origin.name) })
        object.add("places", objects: places.map(FrameObject.place))
        object.add("notes", objects: notes.map(FrameObject.note))
        return .json(object.finished)
    }
}
