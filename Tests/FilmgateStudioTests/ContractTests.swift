import FilmgateCore
import FilmgateLedger
import Foundation
import HTTPTypes
import TestThreads
import Testing

@testable import FilmgateStudio

/// The API answers as its document says.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ContractTests {
    static let document = OpenAPIDocument.value(RoleTests.routes)
    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Sources/FilmgateStudio/openapi.json")

    /// `FILMGATE_WRITE_OPENAPI=1` writes the file anew after a route was changed on purpose.
    @Test func theDocumentIsCheckedIn() throws {
        let text = Self.document.written() + "\n"
        if ProcessInfo.processInfo.environment["FILMGATE_WRITE_OPENAPI"] != nil {
            try Data(text.utf8).write(to: Self.file)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    @Test func theDocumentIsServed() async throws {
        try await StudioBench.with { bench async throws in
            #expect(try bench.client.send("GET", "/api/v1/openapi.json").json == Self.document)
        }
    }

    @Test func everyShapeThatIsNamedIsThere() throws {
        let names = Set(Self.document.at("components.schemas")?.members?.keys ?? [])
        for match in Self.document.serialized.matches(of: /#\/components\/schemas\/(\w+)/) {
            #expect(names.contains(String(match.1)))
        }
    }

    /// Every route is asked, over a ledger that has something for each, and over none at all.
    @Test(arguments: [true, false]) func everyRouteAnswersAsItSays(_ isFilled: Bool) async throws {
        try await StudioBench.with(fill: isFilled ? Rows.few : nil) { bench async throws in
            let check = SchemaCheck(schemas: try #require(Self.document.at("components.schemas")))
            let admin = try bench.token(.admin)
            let id =
                try bench.client.send("GET", "/api/v1/frames", admin).json?.at("frames.0.id")?.string
                ?? "0123456789abcdef"
            // The files of that ledger lie nowhere.
            let missing: Set =
                isFilled
                ? ["thumbnail", "preview", "full", "frameWhere", "upcomingThumbnail"]
                : [
                    "frame", "run", "thumbnail", "preview", "full", "marks", "marksUndo", "frameWhere",
                    "upcomingThumbnail",
                ]
            for route in RoleTests.routes where !route.answer.isStream {
                let reply = try await Self.ask(route, bench, admin, id), isThere = !missing.contains(route.id)
                let shape = isThere ? route.answer.shape : "Error", name = "\(route.method) \(route.path)"
                #expect(reply.status == (isThere ? route.answer.status : 404), "\(name): \(reply.body)")
                let value = try #require(reply.json, "\(name)")
                #expect(check.faults(value, Shape.reference(shape)) == [], "\(name): \(reply.body)")
            }
        }
    }

    @Test func aBriefListIsAsItSays() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let check = SchemaCheck(schemas: try #require(Self.document.at("components.schemas")))
            for role in [Role.view, .admin] {
                let list = try bench.client.send("GET", "/api/v1/frames?brief=1", try bench.token(role)).json
                let frames = try #require(list?["frames"]?.items)
                #expect(frames.count == 3)
                for frame in frames {
                    #expect(check.faults(frame, Shape.reference("Brief")) == [], "\(frame.serialized)")
                }
                let states = frames.compactMap { $0.at("receipts.secret-target.state")?.string }.sorted()
                #expect(states == (role == .admin ? ["done", "held"] : []))
            }
        }
    }

    private static func ask(
        _ route: Route, _ bench: StudioBench, _ admin: [String: String], _ id: String
    ) async throws -> RawClient.Reply {
        let own = admin.merging(StudioBench.own) { $1 }
        if route.answer.shape == "Job", route.method == .post {
            let card = try bench.client.send("GET", "/api/v1/cards", admin).json?.at("mounted.0.id")?.string ?? ""
            let fields = route.fields.filter(\.isRequired).map { "\"\($0.name)\":\"name\"" }.joined(separator: ",")
            let reply = try bench.client.send(
                "POST", route.path.replacing("{id}", with: card), own, body: "{\(fields)}")
            // Only so many run at once.
            _ = try await bench.ended(reply)
            return reply
        }
        switch route.id {
        case "profiles":
            try bench.then(#"echo '{"type":"profile","make":"Make"}'"#)
            return try bench.client.send("GET", route.path, admin)
        case "job": return try bench.client.send("GET", "/api/v1/jobs/\(try await job(bench, waits: true))", admin)
        case "jobStop":
            try bench.then("exec sleep 60")
            return try bench.client.send("DELETE", "/api/v1/jobs/\(try await job(bench, waits: false))", admin)
        case "pair": return try bench.pair(try bench.server.makeCode())
        case "leave":
            let (cookie, key) = try bench.session()
            return try bench.client.send(
                "DELETE", route.path, ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-origin"])
        case "revoke":
            let made = try bench.server.grants.makeToken(role: .view, seconds: 60, label: "", now: bench.now)
            return try bench.client.send("DELETE", "/api/v1/sessions/\(made.grant.id)", admin)
        case "marks":
            return try bench.client.send("POST", route.path, own, body: MarkRouteTests.body(#"{"rating":3}"#, [1]))
        case "marksUndo":
            let made = try bench.client.send(
                "POST", "/api/v1/marks", own, body: MarkRouteTests.body(#"{"rating":3}"#, [1]))
            return try bench.client.send(
                "POST", route.path, own, body: #"{"token":"\#(made.json?["undo"]?.string ?? "none")"}"#)
        case "link":
            return try bench.client.send(
                "POST", route.path, admin.merging(StudioBench.own) { $1 }, body: #"{"role":"view"}"#)
        default:
            return try bench.client.send("GET", route.path.replacing("{id}", with: route.id == "run" ? "1" : id), admin)
        }
    }

    private static func job(_ bench: StudioBench, waits: Bool) async throws -> String {
        let reply = try bench.post("doctor", "{}")
        if waits { _ = try await bench.ended(reply) }
        return try #require(reply.json?["id"]?.string, "\(reply.body)")
    }

    @Test(arguments: [
        "POST /api/v1/retry": 415, "GET /api/v1/jobs/none": 404, "DELETE /api/v1/jobs/none": 404,
        "GET /api/v1/nothing": 404, "GET /api/v1/frames/0123456789abcdef": 404, "GET /api/v1/runs/77": 404,
        "GET /api/v1/runs/x": 400, "POST /api/v1/frames": 405, "PUT /api/v1/session": 405,
        "GET /api/v1/frames?limit=0": 400, "DELETE /api/v1/sessions/nobody": 404, "POST /api/v1/links": 415,
    ]) func everyRefusalSaysWhatToDo(_ request: String, _ status: Int) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let words = request.split(separator: " ")
            let reply = try bench.client.send(String(words[0]), String(words[1]), try bench.token(.admin))
            let check = SchemaCheck(schemas: try #require(Self.document.at("components.schemas")))
            #expect(reply.status == status)
            let value = try #require(reply.json)
            #expect(check.faults(value, Shape.reference("Error")) == [])
        }
    }

    /// A ledger that cannot be read is an answer, and nothing of it is changed.
    @Test func aDamagedLedgerIsToldAsSuch() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let path = bench.state + "/ledger.sqlite"
            try FileManager.default.removeItem(atPath: path)
            try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
            let reply = try bench.client.send("GET", "/api/v1/frames", try bench.token(.admin))
            #expect(reply.status >= 500 && reply.json?["message"]?.string?.contains("ledger") == true, "\(reply.body)")
        }
    }
}
