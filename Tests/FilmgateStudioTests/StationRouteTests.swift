import FilmgateCore
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import FilmgateStudio

/// The stations of a catalogue, as `catalog status` and `catalog where` tell of them.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct StationRouteTests {
    private static let own =
        #"{"type":"membership","station":"desk-3","catalog":"secret-host:5432/filmgate","epoch":1,"told":7,"waiting":2,"held":1,"up":true,"since":"2026-11-26T12:00:00Z","claims":1,"trouble":null}"#
    private static let others = [
        #"{"type":"station","name":"desk-3","site":"press","version":"0.1.0","present":true,"silence_s":2.5,"clock_ahead_ms":200,"told":7,"revoked":false,"untold":0,"cards":[{"volume":"secret-volume","label":"CARD","at":"2026-11-26T12:00:00Z"}],"targets":[{"name":"gallery","waiting":3,"bytes":9,"held":1,"reason":"secret-reason"}],"sources":["secret-camera"],"more":"secret-word"}"#,
        #"{"type":"station","name":"van <b>","site":null,"version":null,"present":false,"silence_s":null,"clock_ahead_ms":null,"told":0,"revoked":true,"untold":null,"cards":[]}"#,
    ]
    private static let away =
        #"{"type":"error","code":"unavailable","message":"postgresql://desk3:hunter2@secret-host/x: connection refused","advice":"Wait."}"#

    private static func saying(_ lines: [String], exit code: Int = 0) -> String {
        (lines.map { "echo '\($0)'" } + ["exit \(code)"]).joined(separator: "\n")
    }

    private func stations(_ bench: StudioBench, _ role: Role = .operate) throws -> JSONValue {
        let reply = try bench.client.send("GET", "/api/v1/stations", try bench.token(role))
        try #require(reply.status == 200, "\(reply.body)")
        let check = SchemaCheck(schemas: try #require(ContractTests.document.at("components.schemas")))
        let value = try #require(reply.json)
        #expect(check.faults(value, Shape.reference("Stations")) == [], "\(reply.body)")
        return value
    }

    /// Asks until the answer is so: the last command's may still be on its way.
    private func eventually(_ bench: StudioBench, _ isSo: (JSONValue) -> Bool) async throws -> JSONValue {
        for _ in 0..<200 {
            let value = try stations(bench)
            if isSo(value) { return value }
            try await Task.sleep(for: .milliseconds(30))
        }
        return try #require(nil as JSONValue?, "the stations were never so")
    }

    @Test func withoutACatalogueNobodyIsAsked() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            for role in Role.allCases {
                let value = try stations(bench, role)
                #expect(value["catalog"]?.flag == false && value["own"] == .null && value["trouble"] == .null)
                let session = try bench.client.send("GET", "/api/v1/session", try bench.token(role)).json
                #expect(session?["catalog"]?.flag == false)
            }
            let frames = try bench.client.send("GET", "/api/v1/frames", try bench.token(.operate))
            let id = try #require(frames.json?.at("frames.0.id")?.string)
            let reply = try bench.client.send("GET", "/api/v1/frames/\(id)/where", try bench.token(.operate))
            #expect(reply.status == 404 && reply.json?["advice"]?.string != nil, "\(reply.body)")
            #expect(try bench.words().isEmpty)
        }
    }

    @Test func eachRoleSeesWhatItMay() async throws {
        try await StudioBench.with(catalog: true, fill: Rows.few) { bench async throws in
            try bench.then(Self.saying([Self.own] + Self.others + [#"{"type":"summary"}"#]))
            let whole = try await eventually(bench) { $0["at"] != .null }
            #expect(whole["total"]?.whole == 2 && whole["at"]?.string != nil && whole["trouble"] == .null)
            #expect(whole.at("own.catalog")?.string == "secret-host:5432/filmgate")
            #expect(whole.at("own.waiting")?.whole == 2 && whole.at("own.held")?.whole == 1)
            #expect(whole.at("stations.0.cards.0.volume")?.string == "secret-volume")
            #expect(whole.at("stations.0.targets.0.reason")?.string == "secret-reason")
            #expect(whole.at("stations.0.sources.0")?.string == "secret-camera")
            #expect(whole.at("stations.1.name")?.string == "van <b>")
            #expect(!whole.serialized.contains("secret-word"), "only what the page knows is passed on")
            for role in [Role.view, .pick] {
                let shown = try stations(bench, role)
                #expect(!shown.serialized.contains("secret"), "\(shown.serialized)")
                #expect(shown.at("stations.0.present")?.flag == true && shown.at("own.up")?.flag == true)
                let session = try bench.client.send("GET", "/api/v1/session", try bench.token(role)).json
                #expect(session?["catalog"]?.flag == true)
            }
            let common = ["--json", "--state=\(bench.state)", "--by-run", "--pipeline=\(bench.folder)/wedding.yaml"]
            #expect(Set(try bench.words()) == [["catalog", "status"] + common])
        }
    }

    @Test func aCatalogueThatIsAwayIsShownAsItWas() async throws {
        try await StudioBench.with(catalog: true) { bench async throws in
            try bench.then(Self.saying([Self.own] + Self.others))
            let before = try await eventually(bench) { $0["at"] != .null }
            let now = Self.own.replacing(#""waiting":2"#, with: #""waiting":9"#)
            try bench.then(Self.saying([now, Self.away], exit: 5))
            let after = try await eventually(bench) { $0["trouble"] != .null }
            // It may have been read once more before it went away; since then it has not been.
            let at = try #require(after["at"]?.string), first = try #require(before["at"]?.string)
            #expect(after["stations"] == before["stations"] && at >= first)
            #expect(try stations(bench, .operate)["at"]?.string == at)
            #expect(after.at("own.waiting")?.whole == 9 && after.at("trouble.code")?.string == "unavailable")
            let message = try #require(after.at("trouble.message")?.string)
            #expect(message.contains("connection refused") && !message.contains("hunter2"), "\(message)")
            let shown = try stations(bench, .view)
            #expect(!shown.serialized.contains("secret") && shown["trouble"] != .null, "\(shown.serialized)")
            try bench.then(Self.saying([Self.own] + Self.others.prefix(1)))
            let back = try await eventually(bench) { $0["trouble"] == .null }
            #expect(back["total"]?.whole == 1)
        }
    }

    /// A state directory that was restored is told so, and who else is there is told before that.
    @Test func aStationThatIsRefusedSeesTheOthers() async throws {
        try await StudioBench.with(catalog: true, fill: Rows.few) { bench async throws in
            try bench.then(Self.saying([Self.own] + Self.others + [Self.away], exit: 2))
            let value = try await eventually(bench) { $0["trouble"] != .null && $0["at"] != .null }
            #expect(value["total"]?.whole == 2 && value.at("trouble.code")?.string == "unavailable")
        }
    }

    /// Of one that never says anything, neither the page nor another question waits long, and it is asked once.
    @Test func aSlowCatalogueHoldsNobodyUp() async throws {
        try await StudioBench.with(catalog: true, fill: Rows.few) { bench async throws in
            try bench.then("echo '\(Self.own)'\nexec sleep 60")
            let begun = ContinuousClock.now, early = try stations(bench)
            #expect(
                early.at("trouble.message")?.string == "The catalogue has not answered yet." && early["at"] == .null)
            #expect(try bench.client.send("GET", "/api/v1/board", try bench.token(.view)).status == 200)
            let late = try await eventually(bench) { $0.at("trouble.message")?.string?.contains("2 seconds") == true }
            #expect(late.at("own.station")?.string == "desk-3" && late["at"] == .null)
            #expect(ContinuousClock.now - begun < .seconds(50))
            let asked = try bench.words().count
            try bench.then(Self.saying([Self.own] + Self.others))
            _ = try await eventually(bench) { $0["total"]?.whole == 2 }
            #expect(asked <= 2)
        }
    }

    @Test func aStateThatHasNotJoinedHasNoStanding() async throws {
        try await StudioBench.with(catalog: true) { bench async throws in
            try bench.then("echo 'has not joined' >&2\n" + Self.saying(Self.others))
            let value = try await eventually(bench) { $0["at"] != .null }
            #expect(value["own"] == .null && value["trouble"] == .null && value["total"]?.whole == 2)
        }
    }

    /// Names of machines are nothing for a client.
    @Test func aClientSeesNoStations() async throws {
        try await StudioBench.with(catalog: true, fill: Rows.few) { bench async throws in
            let made = try bench.server.grants.makeLink(
                role: .view, scope: GrantScope(event: "secret-event"), seconds: 600, label: "Ann", now: bench.now)
            let pair = try bench.pair(made.code), key = try #require(pair.json?["key"]?.string)
            let cookie = try #require(pair["Set-Cookie"]?.split(separator: ";").first.map(String.init))
            let headers = ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-origin"]
            let reply = try bench.client.send("GET", "/api/v1/stations", headers)
            #expect(reply.status == 200 && reply.json?["catalog"]?.flag == false)
            #expect(try bench.client.send("GET", "/api/v1/session", headers).json?["catalog"]?.flag == false)
            #expect(try bench.words().isEmpty)
        }
    }

    @Test func whoHasAFileIsAsked() async throws {
        try await StudioBench.with(catalog: true, fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            let frames = try #require(try bench.client.send("GET", "/api/v1/frames", token).json?["frames"]?.items)
            let id = try #require(frames.first { $0["path"]?.string?.contains("IMG_1") == true }?["id"]?.string)
            func ask() throws -> RawClient.Reply { try bench.client.send("GET", "/api/v1/frames/\(id)/where", token) }
            let place =
                #"{"type":"place","sha256":"\#(Rows.sha(1))","station":"desk-5","state":"done","place":"gallery","detail":"https://u:hunter2@gallery/1","verified":"server","size":5,"at":"2026-11-26T12:00:00Z"}"#
            try bench.then(Self.saying([place]))
            let found = try ask(),
                check = SchemaCheck(schemas: try #require(ContractTests.document.at("components.schemas")))
            #expect(found.status == 200 && found.json?.at("copies.0.station")?.string == "desk-5", "\(found.body)")
            #expect(
                check.faults(try #require(found.json), Shape.reference("Copies")) == []
                    && !found.body.contains("hunter2"))
            let pipeline = "--pipeline=\(bench.folder)/wedding.yaml"
            #expect(
                try bench.words().last == [
                    "catalog", "where", "--json", "--state=\(bench.state)", "--by-run", pipeline, "--", Rows.sha(1),
                ])
            try bench.then("exit 5")
            #expect(try ask().json?["copies"]?.items == [])
            try bench.then(Self.saying([Self.away], exit: 5))
            let away = try ask()
            #expect(away.status == 503 && away.code == "unavailable" && !away.body.contains("hunter2"), "\(away.body)")
        }
    }
}
