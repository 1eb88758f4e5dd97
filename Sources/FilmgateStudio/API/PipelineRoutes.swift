import FileKit
import FilmgateCore
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
            ) { _ in try await pipelineText() }
        ]
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
