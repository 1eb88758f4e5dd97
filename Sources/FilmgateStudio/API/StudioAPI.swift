import FilmgateCore
import FilmgateLedger
import HTTPTypes

/// Everything that the API's routes need, and the table of them.
struct StudioAPI: Sendable {
    let access: AccessControl, frames: Frames, services: StudioServices, stream: StudioStream
    let jobs: JobRunner, proofs: CardProofs, inquiry: CommandInquiry, catalog: CatalogView
    var pictures = Pictures()
    /// The pipeline file that the page was started with.
    let pipeline: String?
    let state: String, version: String
    /// Of the cookie that holds half of a session.
    let cookie: SessionCookie

    var ledger: LedgerView { frames.ledger }

    /// The object of `/api/v1/board` for those who may see everything.
    func board() async throws -> String { try await services.status(ledger.counts()) }

    static let prefix = "/api/v1"
    static let mostOnPage = 500

    var routes: [Route] {
        SessionRoutes(api: self).all + FrameRoutes(api: self).all + ledgerRoutes + more + [documentRoute]
    }

    private var more: [Route] {
        StreamRoutes(api: self).all + CommandRoutes(api: self).all + MarkRoutes(api: self).all
            + JobRoutes(api: self).all
            + CardRoutes(api: self).all
            + PipelineRoutes(api: self).all + PictureRoutes(api: self).all + StationRoutes(api: self).all
            + UpcomingRoutes(api: self).all
    }

    private var documentRoute: Route {
        Route(
            method: .get, path: "/api/v1/openapi.json", need: .nothing, id: "openapi", summary: "This document.",
            answer: .init(status: 200, help: "The document.", shape: "OpenAPI")
        ) { _ in Answer.json(OpenAPIDocument.value(routes).written()) }
    }

    static let at = Route.Parameter(
        name: "at", kind: .number(0...100_000_000), help: "Begin at this place, counted from 0.")
    static let limit = Route.Parameter(
        name: "limit", kind: .number(1...mostOnPage), help: "At most so many; 100 where it is not given.")

    /// Nanoseconds since 1970 as every JSON object has times.
    static func time(_ nanoseconds: Int64?) -> String? {
        nanoseconds.flatMap { $0 == 0 ? nil : CivilTime(unixSeconds: $0 / 1_000_000_000)?.description }
    }
}
