import FilmgateCore
import HTTPTypes
import NIOCore

/// What changes, as browsers and programs are told of it.
struct StreamRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/stream", need: .role(.view), id: "stream",
                summary: "What changes, as it happens: server-sent events, each with whole values.",
                parameters: [
                    .init(
                        name: "since", kind: .text(longest: 64),
                        help: "The `id` of the last message that was received, as in the header Last-Event-ID; absent: begin anew.")
                ],
                answer: .init(
                    status: 200,
                    help:
                        "`hello` with the numbers' owner, then `board`, `frames`, and from role operate `job`; `reset` where changes were lost and "
                        + "everything has to be read anew. A comment every 15 seconds.", shape: "Message", isStream: true)
            ) { call in try open(call) }
        ]
    }

    /// How long nothing is said at most.
    private static var pause: Duration { .seconds(15) }
    /// What happens meanwhile is told at once, in its latest state.
    private static var gathering: Duration { .milliseconds(100) }

    private func open(_ call: Call) throws(StudioError) -> Answer {
        guard let grant = call.grant, let reader = api.stream.join(grant.id) else {
            throw StudioError(
                .tooManyRequests, "rateLimited", "Too many pages of this session listen already.",
                advice: "Close some of its windows: one stream serves all tabs of a browser.")
        }
        let known = api.stream.place(call.values["since"] ?? call.lastEvent)
        return .events { write in try await tell(grant, reader, since: known, write) }
    }

    /// Goes on until the client goes, or may not be here any more.
    private func tell(
        _ grant: Grant, _ reader: StudioStream.Reader, since known: StudioStream.Place?, _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        // The number first: what changes while the board is read is told after it.
        var place = api.stream.last, text = StreamText(role: grant.role)
        var beginning = StreamText.hello(place, version: api.version)
        if let known, api.stream.changes(after: known)?.isGap == false {
            place = known
        } else {
            beginning += await snapshot(grant, known, place)
        }
        try await write(ByteBuffer(string: beginning))
        var last = ContinuousClock.now
        for await _ in reader.wakes {
            guard api.access.isStillIn(grant) else { return }
            guard var part = api.stream.changes(after: place) else { return }
            var words = ""
            if part.isGap {
                place.number = part.upTo
                words = StreamText.reset(place)
                part = ChangeRing.Part(upTo: part.upTo)
            }
            place.number = part.upTo
            words += text.messages(part.changes, at: place)
            if words.isEmpty, ContinuousClock.now - last >= Self.pause { words = ":\n\n" }
            guard !words.isEmpty else { continue }
            // Waits for a client that reads slowly; what changes meanwhile is one change.
            try await write(ByteBuffer(string: words))
            last = .now
            if part.isMore { api.stream.wake() } else { try await Task.sleep(for: Self.gathering) }
        }
    }

    private func snapshot(_ grant: Grant, _ known: StudioStream.Place?, _ place: StudioStream.Place) async -> String {
        let lost = known == nil ? "" : StreamText.reset(place)
        guard let whole = try? await api.services.status() else { return lost }
        return lost + StreamText.message("board", grant.role >= .operate ? whole : StudioAPI.shown(board: whole))
    }
}
