import FilmgateCore
import FilmgateLedger
import HTTPTypes
import Logging
import TestThreads
import Testing

@testable import FilmgateStudio

/// Who may ask what, for every address that there is.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct RoleTests {
    /// Written down apart from the routes, so that one that is opened wider, or is new, fails here.
    static let least: [String: String] = [
        "GET /api/v1/about": "none", "POST /api/v1/session": "none", "GET /api/v1/openapi.json": "none",
        "GET /api/v1/session": "any", "DELETE /api/v1/session": "any",
        "GET /api/v1/board": "view", "GET /api/v1/frames": "view", "GET /api/v1/frames/{id}": "view",
        "GET /api/v1/frames/{id}/thumbnail": "view", "GET /api/v1/frames/{id}/preview": "view",
        "GET /api/v1/frames/{id}/full": "pick",
        "GET /api/v1/upcoming": "view", "GET /api/v1/upcoming/{id}/thumbnail": "view",
        "GET /api/v1/stream": "view", "GET /api/v1/deliveries": "operate", "GET /api/v1/runs": "operate",
        "GET /api/v1/runs/{id}": "operate",
        "GET /api/v1/events": "operate", "GET /api/v1/cards": "operate",
        "POST /api/v1/marks": "pick", "POST /api/v1/marks/undo": "pick",
        "POST /api/v1/retry": "operate", "POST /api/v1/cancel": "operate", "POST /api/v1/assign": "operate",
        "POST /api/v1/events/use": "operate", "POST /api/v1/events/refresh": "operate",
        "POST /api/v1/doctor": "operate", "POST /api/v1/accounts": "operate", "POST /api/v1/accounts/login": "operate",
        "POST /api/v1/accounts/logout": "operate",
        "POST /api/v1/pause": "operate", "POST /api/v1/resume": "operate",
        "POST /api/v1/cards/{id}/plan": "operate", "POST /api/v1/cards/{id}/import": "operate",
        "POST /api/v1/cards/{id}/prove": "operate", "GET /api/v1/jobs": "operate", "GET /api/v1/jobs/{id}": "operate",
        "DELETE /api/v1/jobs/{id}": "operate", "POST /api/v1/pipeline/check": "operate",
        "GET /api/v1/pipeline": "admin", "GET /api/v1/pipeline/profiles": "admin",
        "GET /api/v1/sessions": "admin", "DELETE /api/v1/sessions/{id}": "admin",
        "POST /api/v1/links": "admin", "GET /api/v1/stations": "view", "GET /api/v1/frames/{id}/where": "operate",
    ]

    /// The table of routes, without a server.
    static let routes: [Route] = {
        let services = StudioServices { () async throws(IngestError) in
            []
        } status: { (_: FrameCounts?) async throws(IngestError) in
            "{}"
        }
        let access = AccessControl(GrantStore(state: "/nonexistent"), logger: Logger(label: "test")) { 0 }
        let inquiry = CommandInquiry(.init(path: "/bin/false", state: "/nonexistent"))
        let key = SipKey(low: 0, high: 0), ledger = LedgerView(state: "/nonexistent", key: key)
        return StudioAPI(
            access: access, frames: Frames(ledger: ledger, key: key), services: services, stream: StudioStream(),
            jobs: JobRunner(.init(path: "/bin/false", state: "/nonexistent")) { _ in },
            proofs: CardProofs(ledger, mounted: services.mounted) {}, inquiry: inquiry,
            catalog: CatalogView(inquiry, pipeline: nil), pipeline: nil, state: "/nonexistent", version: "",
            cookie: SessionCookie(name: "c", isEncrypted: false)
        ).routes
    }()

    @Test func everyRouteIsListed() {
        let found = Dictionary(
            uniqueKeysWithValues: Self.routes.map { ("\($0.method.rawValue) \($0.path)", $0.need.word) })
        #expect(found == Self.least)
    }

    @Test func eachRoleMayWhatItMay() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            for (route, least) in Self.least {
                let words = route.split(separator: " "), method = String(words[0])
                let path = String(words[1]).replacing("{id}", with: route.contains("runs") ? "1" : "0123456789abcdef")
                func status(_ headers: [String: String]) throws -> Int {
                    let body = method == "POST" ? "{}" : nil, json = ["Content-Type": "application/json"]
                    return try bench.client.send(method, path, headers.merging(json) { $1 }, body: body, headOnly: true)
                        .status
                }
                let nobody = try status(method == "GET" ? [:] : ["Sec-Fetch-Site": "same-origin"])
                #expect(
                    least == "none" ? nobody != 401 && nobody != 403 : nobody == 401,
                    "\(route) without a session: \(nobody)")
                for role in Role.allCases where least != "none" {
                    let isAllowed = Role(rawValue: least).map { role >= $0 } ?? true
                    let found = try status(bench.token(role))
                    #expect(isAllowed ? found != 403 && found != 401 : found == 403, "\(route) as \(role): \(found)")
                }
            }
        }
    }

    /// What somebody with a view link must not learn is called secret in the ledger.
    @Test(arguments: [Role.view, .pick]) func aViewerLearnsNoSecrets(_ role: Role) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(role), frames = try bench.client.send("GET", "/api/v1/frames", token)
            let ids = (frames.json?["frames"]?.items ?? []).compactMap { $0["id"]?.string }
            #expect(ids.count == 3)
            let files = try ids.map { try bench.client.send("GET", "/api/v1/frames/\($0)", token) }
            for reply in [frames, try bench.client.send("GET", "/api/v1/board", token)] + files {
                #expect(reply.status == 200 && !reply.body.contains("secret"), "\(reply.body)")
            }
            for path in [
                "frames?event=secret-event", "frames?without=event", "frames?run=1", "frames?target=secret-target",
                "frames?state=held",
            ] {
                #expect(try bench.client.send("GET", "/api/v1/\(path)", token).status == 403)
            }
            // Nor by asking whether there is one.
            let probe = try bench.client.send("GET", "/api/v1/frames?q=secret-serial", token)
            #expect(probe.status == 200 && probe.json?["total"]?.whole == 0)
            let camera = try bench.client.send("GET", "/api/v1/frames?camera=secret-serial", token)
            #expect(camera.status == 200 && camera.json?["total"]?.whole == 0)
            #expect(
                try bench.client.send("GET", "/api/v1/frames?q=secret-serial", try bench.token(.operate)).json?[
                    "total"]?.whole == 3)
        }
    }

    @Test func rolesAreInOrder() { #expect(Role.allCases.sorted() == [.view, .pick, .operate, .admin]) }
}
