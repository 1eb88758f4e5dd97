import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// What people say of pictures, for one or for as many as a list has.
struct MarkRoutes: Sendable {
    let api: StudioAPI

    /// Of pictures that are named one by one.
    static let mostNamed = 500
    /// Of those that a filter finds.
    private static let mostFound = 200_000

    var all: [Route] {
        [
            Route(
                method: .post, path: "/api/v1/marks", need: .role(.pick), id: "marks",
                summary:
                    "Say what you think of pictures: stars, picked or rejected, a colour. It counts for all pictures of a shot.",
                takesBody: true, bodyShape: "MarkRequest",
                answer: .init(
                    status: 200, help: "The revision, which rises with each order, and what takes it back.",
                    shape: "Marked")
            ) { call in try await set(call) },
            Route(
                method: .post, path: "/api/v1/marks/undo", need: .role(.pick), id: "marksUndo",
                summary: "Take back what was said; what somebody said of the same pictures since stays.",
                fields: [.init(name: "token", help: "`undo` of the answer that is taken back.", isRequired: true)],
                takesBody: true,
                answer: .init(
                    status: 200, help: "As for what was taken back: it can be taken back in turn.", shape: "Marked")
            ) { call in try await carryOut(.undo(token: call.body["token"] ?? ""), call) },
        ]
    }

    private func set(_ call: Call) async throws -> Answer {
        let words = try Self.words(call.object), sha256s = try await selected(call)
        return try await carryOut(
            .set(rating: words.rating, pick: words.pick, colour: words.colour, sha256s: sha256s), call)
    }

    private func carryOut(_ order: MarkOrder.Order, _ call: Call) async throws -> Answer {
        guard let grant = call.grant else { throw StudioError.noSession }
        let outcome = try await api.services.mark(MarkOrder(order, by: grant.label.isEmpty ? "page" : grant.label))
        api.access.note(
            "studio: \(grant.id) as \(grant.role.rawValue) marked \(outcome.sha256s.count) pictures, revision \(outcome.revision)"
        )
        api.stream.ask()
        var object = JSONWriter()
        object.add("type", "marked")
        object.add("revision", Int(outcome.revision))
        object.add("undo", outcome.undo)
        object.add("pictures", outcome.sha256s.count)
        return .json(object.finished)
    }

    // MARK: The request

    private static func words(_ body: JSONObject) throws(StudioError) -> (
        rating: Int?, pick: PictureMark.Pick?, colour: Int?
    ) {
        try only(["set", "selection"], in: body, "the body")
        guard let set = body["set"]?.members else {
            throw .usage("The field set is an object with rating, pick or colour.")
        }
        try only(["rating", "pick", "colour"], in: set, "set")
        if set.isEmpty { throw .usage("The field set says nothing.", advice: "It takes rating, pick and colour.") }
        let pick = try set["pick"].map { value throws(StudioError) -> PictureMark.Pick in
            guard let pick = value.string.flatMap({ PictureMark.Pick(rawValue: $0) }) else {
                throw .usage("The field pick is one of: none, picked, rejected.")
            }
            return pick
        }
        let rating = try number("rating", PictureMark.ratings, in: set)
        let colour = try number("colour", PictureMark.colours, in: set)
        return (rating, pick, colour)
    }

    private static func number(_ name: String, _ range: ClosedRange<Int>, in set: JSONObject) throws(StudioError)
        -> Int?
    {
        guard let value = set[name] else { return nil }
        guard let number = value.whole, range.contains(Int(clamping: number)) else {
            throw .usage("The field \(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return Int(number)
    }

    private static func only(_ names: [String], in object: JSONObject, _ place: String) throws(StudioError) {
        guard let other = object.keys.first(where: { !names.contains($0) }) else { return }
        throw .usage(
            "There is no field \(JSONString.quoted(other)) in \(place).",
            advice: "It takes: \(names.joined(separator: ", ")).")
    }

    /// The pictures that are meant: by their SHA-256, or all that a list has with that filter.
    private func selected(_ call: Call) async throws -> [String] {
        guard let selection = call.object["selection"]?.members else {
            throw StudioError.usage(
                "The field selection is an object.", advice: "It takes sha256, or filter with until and except.")
        }
        try Self.only(["sha256", "filter", "until", "except"], in: selection, "selection")
        guard let filter = selection["filter"] else {
            for name in ["until", "except"] where selection[name] != nil {
                throw StudioError.usage("The field \(name) goes with filter.")
            }
            return try await known(Self.digests("sha256", in: selection), call)
        }
        guard selection["sha256"] == nil else { throw StudioError.usage("Either sha256 or filter.") }
        let except = selection["except"] == nil ? [] : try Self.digests("except", in: selection)
        let bound = try selection["until"].map { try Self.bound($0) }
        return try await found(filter, upTo: bound, call).without(except)
    }

    /// The newest of the files that somebody saw when he chose all of them.
    private static func bound(_ value: JSONValue) throws(StudioError) -> FrameBound {
        guard let bound = value.string.flatMap({ FrameRoutes.bound($0) }) else {
            throw .usage("The field until is no place in the list.", advice: "Take `until` of the list that was shown.")
        }
        return bound
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

    private func found(_ filter: JSONValue, upTo bound: FrameBound?, _ call: Call) async throws -> [String] {
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
        guard found.numbers.count <= Self.mostFound else {
            throw StudioError.usage("These are more than \(Self.mostFound) pictures.")
        }
        return try await found.reader?.sha256s(of: found.numbers.numbers) ?? []
    }
}

extension Sequence where Element: Hashable {
    /// All but `others`, which are gathered once and not for each.
    func without(_ others: some Sequence<Element>) -> [Element] {
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}
