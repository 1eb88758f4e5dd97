import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// What people say of pictures, for one or for as many as a list has.
struct MarkRoutes: Sendable {
    let api: StudioAPI

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
        let words = try Self.words(call.object), sha256s = try await FrameSelection(api: api).sha256s(call)
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
        try FrameSelection.only(["set", "selection"], in: body, "the body")
        guard let set = body["set"]?.members else {
            throw .usage("The field set is an object with rating, pick or colour.")
        }
        try FrameSelection.only(["rating", "pick", "colour"], in: set, "set")
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
}
