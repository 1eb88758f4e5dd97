import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// What people say of pictures, for one or for as many as a list has.
struct MarkRoutes: Sendable {
    let api: StudioAPI
    /// Pictures that are marked at once: a run's own writing waits for that.
    static let mostAtOnce = 2000

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
            ) { call in try await undo(call) },
        ]
    }

    private func set(_ call: Call) async throws -> Answer {
        let words = try Self.words(call.object), grant = try Self.grant(call)
        var done = Done()
        do {
            try await FrameSelection(api: api).eachPart(of: Self.mostAtOnce, call) { sha256s in
                let order = MarkOrder.Order.set(
                    rating: words.rating, pick: words.pick, colour: words.colour, sha256s: sha256s)
                try await carryOut(order, done.undo.map { MarkOrder.Part(token: $0) }, grant, &done)
            }
        } catch {
            throw brokenOff(
                error, done, grant, "were marked",
                advice: "Ask for the same again: it marks the rest, too. What was marked can be taken back.")
        }
        return answer(done, grant)
    }

    private func undo(_ call: Call) async throws -> Answer {
        let order = MarkOrder.Order.undo(token: call.body["token"] ?? ""), grant = try Self.grant(call)
        var done = Done(), part: MarkOrder.Part?
        do {
            repeat { part = try await carryOut(order, part, grant, &done) } while part != nil
        } catch {
            throw brokenOff(
                error, done, grant, "have the marks of before", advice: "Ask for the same again: it goes on.")
        }
        return answer(done, grant)
    }

    /// What all parts of an order came to so far.
    private struct Done {
        var revision: Int64 = 0, undo: String? = nil, pictures = 0
    }

    private static func grant(_ call: Call) throws(StudioError) -> Grant {
        guard let grant = call.grant else { throw .noSession }
        return grant
    }

    /// Returns what is left of an order that is taken back.
    @discardableResult
    private func carryOut(
        _ order: MarkOrder.Order, _ part: MarkOrder.Part?, _ grant: Grant, _ done: inout Done
    ) async throws -> MarkOrder.Part? {
        let by = grant.label.isEmpty ? "page" : grant.label
        let outcome = try await api.services.mark(MarkOrder(order, by: by, part: part))
        (done.revision, done.undo) = (outcome.revision, outcome.undo)
        done.pictures += outcome.sha256s.count
        return outcome.rest
    }

    /// What was said so far stays so, shows, and can be taken back, whatever ended the order.
    private func brokenOff(
        _ error: any Error, _ done: Done, _ grant: Grant, _ what: String, advice: String
    ) -> any Error {
        guard done.undo != nil else { return error }
        tell(done, grant)
        if error is CancellationError { return error }
        var said = StudioError(.internalServerError, "unexpected", "The rest could not be done.")
        switch error {
        case let error as StudioError: said = error
        case let error as IngestError: said = StudioError(error)
        default: api.access.report("studio: marks: \(error)")
        }
        said.message = "\(done.pictures) pictures \(what), then it broke off: \(said.message)"
        (said.advice, said.undo, said.pictures) = (advice, done.undo, done.pictures)
        return said
    }

    private func tell(_ done: Done, _ grant: Grant) {
        api.access.note(
            "studio: \(grant.id) as \(grant.role.rawValue) marked \(done.pictures) pictures, revision \(done.revision)")
        api.stream.ask()
    }

    private func answer(_ done: Done, _ grant: Grant) -> Answer {
        tell(done, grant)
        var object = JSONWriter()
        object.add("type", "marked")
        object.add("revision", Int(done.revision))
        object.add("undo", done.undo)
        object.add("pictures", done.pictures)
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
