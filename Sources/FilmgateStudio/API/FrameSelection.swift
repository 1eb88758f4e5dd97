import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// The files that a request means: by their SHA-256, or all that a list has with a filter.
struct FrameSelection: Sendable {
    let api: StudioAPI

    /// Of files that are named one by one.
    static let mostNamed = 500
    /// Of those that a command is given at a time, by names of up to 129 signs; and of all of them, whose names are
    /// kept until their turn comes.
    static let mostGiven = 25_000, mostWaiting = 1_000_000
    /// Of one order that can be taken back: the ledger keeps what stood there before.
    static let mostMarked = 1_000_000
    private static let open: Set<Receipt.State> = [.pending, .held, .failed]

    /// What a filter finds is no more than a number each: all names of a large ledger would take much memory.
    private enum Found {
        case named([String])
        case filtered([Int64], SQLiteReader?, except: Set<String>)
    }

    /// Calls `body` with the SHA-256 of what `selection` in the body means, at most `size` at a time.
    ///
    /// It is called once where that is nothing.
    func eachPart(of size: Int, _ call: Call, _ body: ([String]) async throws -> Void) async throws {
        switch try await selected(call, onlyWaiting: false) {
        case .named(let sha256s): try await body(sha256s)
        case .filtered(let numbers, let reader, let except):
            guard let reader, !numbers.isEmpty else { return try await body([]) }
            guard numbers.count <= Self.mostMarked else {
                throw StudioError.usage(
                    "The filter finds \(numbers.count) files; one request takes \(Self.mostMarked).",
                    advice: "Narrow the filter: by run, camera or time.")
            }
            for start in stride(from: 0, to: numbers.count, by: size) {
                let part = Array(numbers[start..<min(start + size, numbers.count)])
                try await body(try await reader.sha256s(of: part).without(except))
            }
        }
    }

    /// What `selection` means, without what waits nowhere, for a command; nil where the body selects nothing.
    ///
    /// `none`: what is said where nothing of it waits.
    func waiting(_ call: Call, none: StudioError = FrameSelection.nothingWaits) async throws -> JobInput? {
        if call.object["selection"] == nil { return nil }
        if api.jobs.isFull(for: call.grant?.id ?? "", key: call.idempotencyKey) { throw StudioError.manyJobs }
        var input = JobInput()
        switch try await selected(call, onlyWaiting: true) {
        case .named(let sha256s): input.add(sha256s)
        case .filtered(let numbers, let reader, let except):
            guard numbers.count <= Self.mostWaiting else {
                throw StudioError.usage(
                    "\(numbers.count) files of this selection wait; one request takes \(Self.mostWaiting).",
                    advice: "Ask for all that waits, without a selection, or narrow the filter: by run, camera or time."
                )
            }
            for start in stride(from: 0, to: numbers.count, by: Self.mostGiven) {
                let part = Array(numbers[start..<min(start + Self.mostGiven, numbers.count)])
                let keys = try await reader?.keys(of: part).filter { !except.contains($0.sha256) } ?? []
                let names = Self.names(keys)
                if !names.isEmpty { input.add(names) }
            }
        }
        guard input.count > 0 else { throw none }
        return input
    }
    static let nothingWaits = StudioError(
        .notFound, "notFound", "Nothing of this selection waits.", advice: "The list may have changed: read it again.")
    /// Of files that are to get an event.
    static let nothingWithoutEvent = StudioError(
        .notFound, "notFound",
        "No file of this selection waits for an event: they belong to one already, or need none.",
        advice: "Assign gives an event to files that are held without one.")

    private func selected(_ call: Call, onlyWaiting: Bool) async throws -> Found {
        guard let selection = call.object["selection"]?.members else {
            throw StudioError.usage(
                "The field selection is an object.", advice: "It takes sha256, or filter with until, except and most.")
        }
        try Self.only(["sha256", "filter", "until", "except", "most"], in: selection, "selection")
        guard let filter = selection["filter"] else {
            for name in ["until", "except", "most"] where selection[name] != nil {
                throw StudioError.usage("The field \(name) goes with filter.")
            }
            return .named(try await known(Self.digests("sha256", in: selection), call))
        }
        guard selection["sha256"] == nil else { throw StudioError.usage("Either sha256 or filter.") }
        let except = selection["except"] == nil ? [] : try Self.digests("except", in: selection)
        let bound = try selection["until"].map { try Self.bound($0) }
        let most = try selection["most"].map { try Self.number($0) }
        let (all, reader) = try await found(filter, upTo: bound, call)
        if let most, all.count - except.count > most { throw Self.grown(to: all.count - except.count, from: most) }
        let found = try await onlyWaiting ? waiting(among: all, reader) : all
        return .filtered(found.numbers, reader, except: Set(except))
    }

    /// What a command calls these files: the SHA-256 of each, once.
    ///
    /// The same sidecar may lie beside many pictures. The command goes by those that are named with it; where its own is
    /// not, it is said with the sidecar.
    static func names(_ keys: [ContentKey]) -> [String] {
        let sha256s = Set(keys.map(\.sha256))
        var named: Set<String> = []
        return keys.compactMap { key in
            let isWithItsPicture = key.beside.map(sha256s.contains) ?? true
            let name = isWithItsPicture ? key.sha256 : key.rawValue
            return named.insert(name).inserted ? name : nil
        }
    }

    private func waiting(among found: NumberSet, _ reader: SQLiteReader?) async throws -> NumberSet {
        guard let open = try await reader?.contents(ofTarget: nil, states: Self.open) else { return found }
        return NumberSet(open.numbers.filter(found.contains))
    }

    /// The newest of the files that somebody saw when he chose all of them.
    private static func bound(_ value: JSONValue) throws(StudioError) -> FrameBound {
        guard let bound = value.string.flatMap({ FrameRoutes.bound($0) }) else {
            throw .usage("The field until is no place in the list.", advice: "Take `until` of the list that was shown.")
        }
        return bound
    }

    private static func number(_ value: JSONValue) throws(StudioError) -> Int {
        guard let number = value.whole, number >= 0 else { throw .usage("The field most is a whole number.") }
        return Int(clamping: number)
    }

    /// Somebody said yes to fewer files than the filter finds by now.
    private static func grown(to count: Int, from most: Int) -> StudioError {
        StudioError(
            .conflict, "changed", "The filter finds \(count) files by now, and \(most) were asked about.",
            advice: "Look at the list and ask again.")
    }

    private static func digests(_ name: String, in selection: JSONObject) throws(StudioError) -> [String] {
        guard let items = selection[name]?.items, let texts = selection[name]?.texts, items.count == texts.count,
            (name == "except" ? 0 : 1)...mostNamed ~= texts.count,
            texts.allSatisfy({ $0.utf8.count == 64 && AccessSecret.bytes($0) != nil })
        else { throw .usage("The field \(name) is a list of at most \(mostNamed) SHA-256, 64 digits each.") }
        return texts
    }

    private func known(_ sha256s: [String], _ call: Call) async throws -> [String] {
        guard let reader = try await api.ledger.reader() else { throw Self.unknown }
        let contents = try await reader.contents(of: sha256s)
        guard contents.allSatisfy({ !$0.isEmpty }) else { throw Self.unknown }
        if call.scope.isEverything { return sha256s }
        // Of these alone: what a client may see may be very much.
        var filter = FrameFilter(), finds = FrameFinds()
        call.scope.narrow(&filter)
        finds.onlyContents = NumberSet(contents.joined())
        let seen = try await api.ledger.bytes(filter, finds: finds).numbers
        guard contents.allSatisfy({ $0.contains { seen.contains($0) } }) else { throw Self.unknown }
        return sha256s
    }

    private static let unknown = StudioError(
        .notFound, "notFound", "There is no such picture.", advice: "The list may have changed: read it again.")

    private func found(
        _ filter: JSONValue, upTo bound: FrameBound?, _ call: Call
    ) async throws -> (NumberSet, SQLiteReader?) {
        guard let members = filter.members else {
            throw StudioError.usage("The field filter is an object, as the query of /frames.")
        }
        let known = FrameRoutes.filters
        try Self.only(known.map(\.name), in: members, "filter")
        var asked = call
        asked.values = [:]
        for parameter in known {
            guard let value = members[parameter.name] else { continue }
            // The API's description says so; a number may be a slip that finds other pictures.
            guard let text = value.string else {
                throw StudioError.usage("The field \(parameter.name) of filter is a text.")
            }
            try parameter.check(text)
            asked.values[parameter.name] = text
        }
        let (filter, finds) = try await FrameRoutes(api: api).chosen(asked)
        let found = try await api.ledger.bytes(filter, finds: finds, upTo: bound)
        return (found.numbers, found.reader)
    }

    /// Refuses a field that nobody reads.
    static func only(_ names: [String], in object: JSONObject, _ place: String) throws(StudioError) {
        guard let other = object.keys.first(where: { !names.contains($0) }) else { return }
        throw .usage(
            "There is no field \(JSONString.quoted(other)) in \(place).",
            advice: "It takes: \(names.joined(separator: ", ")).")
    }
}

extension Sequence where Element: Hashable {
    /// All but `others`, which are gathered once and not for each.
    func without(_ others: some Sequence<Element>) -> [Element] {
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}
