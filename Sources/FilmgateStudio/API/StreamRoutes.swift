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
                        help:
                            "The `id` of the last message that was received, as in the header Last-Event-ID; absent: begin anew."
                    )
                ],
                answer: .init(
                    status: 200,
                    help:
                        "`hello` with the numbers' owner, then `board`, `frames` (as `brief` lists them), and from role operate "
                        + "`job`; `reset` where changes were lost and everything has to be read anew. A comment at least every three seconds.",
                    shape: "Message", isStream: true)
            ) { call in try open(call) }
        ]
    }

    /// A reader who was told nothing for so long is told that the page is there, at the next look.
    private static var pause: Duration { LookPace.heartbeat / 2 }

    private func open(_ call: Call) throws(StudioError) -> Answer {
        guard let grant = call.grant,
            let reader = api.stream.join(grant.owner, as: grant.role, until: grant.until)
        else {
            throw StudioError(
                .tooManyRequests, "rateLimited",
                "Too many pages listen already, of this session, of its link, or of all together.",
                advice: "Close some of its windows: one stream serves all tabs of a browser.")
        }
        let known = api.stream.place(call.values["since"] ?? call.lastEvent)
        return .events { write in try await tell(grant, reader, since: known, write) }
    }

    /// Goes on until the client goes, or may not be here any more.
    private func tell(
        _ grant: Grant, _ reader: StudioStream.Reader, since known: StudioStream.Place?,
        _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        // The number first: what changes while the board is read is told after it.
        let start = api.stream.beginning(grant.view)
        var place = start.place
        var beginning = StreamText.hello(place, version: api.version)
        if let known, api.stream.knows(known) {
            place = known
        } else {
            beginning += await snapshot(grant, known, place) + start.list
        }
        try await write(ByteBuffer(string: beginning))
        var told = ContinuousClock.now
        for await _ in reader.wakes {
            guard let end = api.access.end(of: grant) else { return }
            reader.mayStay(until: end)
            let now = ContinuousClock.now
            var part = api.stream.part(after: place.number, grant.view)
            place.number = part.upTo
            if part.text.readableBytes == 0, now - told >= Self.pause { part.text.writeString(":\n\n") }
            guard part.text.readableBytes > 0 else { continue }
            // Waits for a client that reads slowly; what changes meanwhile is one change.
            try await write(part.text)
            told = now
            if part.isMore { reader.again() }
        }
    }

    private func snapshot(_ grant: Grant, _ known: StudioStream.Place?, _ place: StudioStream.Place) async -> String {
        let lost = known == nil ? "" : StreamText.reset(place)
        // What cannot be read just now was told to others: it is told again only when it changes.
        let now = try? await api.board()
        guard let whole = now ?? api.stream.board else { return lost }
        let view = grant.view
        return lost
            + StreamText.message("board", view.isTrusted ? whole : view.scope.board(StudioAPI.shown(board: whole)))
    }
}

extension Grant {
    /// A link to a part of the shoot shows it as the role does that sees least.
    var view: StudioStream.View { StudioStream.View(isTrusted: role >= .operate && scope.isEverything, scope: scope) }
}
