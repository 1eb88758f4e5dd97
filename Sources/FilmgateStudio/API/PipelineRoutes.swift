import FileKit
import FilmgateCore
import FilmgateLedger
import HTTPTypes

struct PipelineRoutes: Sendable {
    let api: StudioAPI

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/pipeline", need: .role(.admin), id: "pipeline",
                summary:
                    "The text of the pipeline that this page was started with; secrets are references in it, and what else may be one is dots.",
                answer: .init(status: 200, help: "The text.", shape: "Pipeline")
            ) { _ in try await pipelineText() },
            Route(
                method: .get, path: "/api/v1/pipeline/profiles", need: .role(.admin), id: "profiles",
                summary:
                    "What the profiles of this page's pipeline come to for the cameras that were seen last, and which rule decided it, as `profile show`.",
                answer: .init(
                    status: 200, help: "An object of `profile show` for each; others were seen where `more` is true.",
                    shape: "Profiles")
            ) { _ in try await profiles() },
        ]
    }

    /// Cameras that are asked about in one request, and how long each may take, and all of them.
    private static let mostCameras = 12, patience = Duration.seconds(10), whole = Duration.seconds(20)

    private func profiles() async throws -> Answer {
        let pipeline = try api.neededPipeline()
        let seen = try await api.ledger.reader()?.camerasSeen(limit: Self.mostCameras + 1) ?? []
        // The command takes what is behind a comma for the model.
        let cameras = seen.prefix(Self.mostCameras).filter { $0.make?.contains(",") == false }
        var profiles: [JSONValue] = [], asked = 0
        let over = ContinuousClock.now + Self.whole
        for camera in cameras where ContinuousClock.now < over {
            let left = min(Self.patience, over - ContinuousClock.now),
                order = JobOrders.profile(camera, pipeline: pipeline)
            guard let said = await api.inquiry.ask(order, within: left) else {
                throw StudioError(
                    .tooManyRequests, "rateLimited", "Many ask this page for something just now.", advice: "Try again.")
            }
            // What was told so far is told; the rest is not.
            if said.wasEnded, asked > 0 { break }
            guard said.exit == 0 else {
                throw StudioError(
                    .serviceUnavailable, said.error?["code"]?.string ?? "unexpected",
                    said.error?["message"]?.string ?? said.lines.last ?? "The profiles could not be asked.",
                    advice: said.error?["advice"]?.string ?? "`filmgate check` says what is wrong with the pipeline.")
            }
            profiles += said.all("profile")
            asked += 1
        }
        return .json(
            JSONValue.object([
                "type": "profiles", "profiles": .array(profiles), "more": .bool(asked < seen.count),
            ]).serialized)
    }

    private func pipelineText() async throws -> Answer {
        let path = try api.neededPipeline()
        let bytes = try await BlockingPool(width: 1).run { () throws(IngestError) in
            try FileSystem.contents(of: path, limit: 1 << 20)
        }
        guard let bytes else {
            throw StudioError(
                .notFound, "notFound", "The pipeline file is not there.",
                advice: "Put it back, or start the page with another one.")
        }
        var object = JSONWriter()
        object.add("type", "pipeline")
        object.add("path", path)
        object.add("text", api.services.shown(String(decoding: bytes, as: UTF8.self)))
        return .json(object.finished)
    }
}
