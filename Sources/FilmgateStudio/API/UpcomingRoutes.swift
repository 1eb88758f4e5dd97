import FilmgateCore
import HTTPTypes
import NIOCore

/// What a run has still to read of a camera, and the camera's own pictures of it.
struct UpcomingRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/upcoming", need: .role(.view), id: "upcoming",
                summary: "What a run has listed on a camera and not read yet.",
                answer: .init(
                    status: 200,
                    help:
                        "The next few frames, in the order in which they are read, and how many there are in all; `picture` says that there is one of it. None for a link that shows only some of the files.",
                    shape: "Upcoming")
            ) { call in await list(call) },
            Route(
                method: .get, path: "/api/v1/upcoming/{id}/thumbnail", need: .role(.view), id: "upcomingThumbnail",
                summary: "The camera's own small picture of a frame that is still to be read.",
                parameters: [
                    .init(name: "id", kind: .text(longest: 16), help: "As `upcoming` names it.", isInPath: true)
                ],
                answer: .init(
                    status: 200, help: "The picture, made anew; 404 where there is none, or not yet.",
                    shape: "Picture", isPicture: true)
            ) { call in try await picture(call) },
        ]
    }

    /// Nothing for a link that shows only some of the files, and no camera is asked for one.
    ///
    /// Whose a frame is, and whether it is new, is known once it is read: on the card that a run takes lie frames of
    /// other events, and some that were here before.
    private func list(_ call: Call) async -> Answer {
        let (frames, total) = await call.scope.isEverything ? api.pictures.upcoming.now(api) : (frames: [], total: 0)
        var object = JSONWriter()
        object.add("type", "upcoming")
        object.add("total", total)
        object.add("frames", objects: frames.map { Self.object($0, call.role) })
        return .json(object.finished)
    }

    /// Below `operate` without the camera's name, which may hold its serial number.
    private static func object(_ shown: UpcomingView.Frame, _ role: Role) -> JSONWriter {
        var object = JSONWriter()
        object.add("id", shown.id)
        object.add("name", shown.frame.name)
        object.add("kind", shown.frame.kind.rawValue)
        object.add("size", shown.frame.size)
        object.add("source", role >= .operate ? shown.frame.source : nil)
        object.add("begun", shown.frame.isBegun)
        object.add("picture", shown.hasPicture)
        return object
    }

    private func picture(_ call: Call) async throws -> Answer {
        guard call.scope.isEverything,
            let jpeg = await api.pictures.upcoming.picture(call.values["id"] ?? "", api.frames.key)
        else {
            throw StudioError(
                .notFound, "noPicture", "There is no picture of this frame here.",
                advice: "Ask again while it is still to be read, or for the frame itself once it is read.")
        }
        var answer = Answer(type: "image/jpeg", ByteBuffer(bytes: jpeg))
        answer.headers[.cacheControl] = "private, max-age=3600"
        answer.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return answer
    }
}
