import FilmgateCore
import FilmgateLedger
import TestThreads
import Testing

@testable import FilmgateStudio

/// What the profiles come to for the cameras that were seen: in the words of the command, asked for each of them.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ProfileRouteTests {
    private static let path = "/api/v1/pipeline/profiles"

    @Test func eachCameraIsAskedAbout() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try bench.then(#"echo '{"type":"profile","make":"Make","rename":{"value":"{name}","line":3}}'"#)
            let reply = try bench.client.send("GET", Self.path, try bench.token(.admin))
            #expect(reply.status == 200 && reply.json?["more"]?.flag == false, "\(reply.body)")
            #expect(reply.json?["profiles"]?.items?.count == 1)
            #expect(reply.json?.at("profiles.0.rename.line")?.whole == 3)
            let words = ["--serial=secret-serial", "--owner=secret-person", "--", "Make, Model"]
            #expect(
                try bench.words() == [
                    ["profile", "show", "--json", "--state=\(bench.state)", "--pipeline=\(bench.folder)/wedding.yaml"]
                        + words
                ])
        }
    }

    /// The command would take what is behind the comma for the model.
    @Test func aCameraThatCannotBeAskedAboutIsOneOfMore() async throws {
        try await StudioBench.with(fill: { ledger in
            try await Rows.few(ledger)
            var other = Rows.asset(4)
            other.media?.make = "Make, Inc."
            try await ledger.record([.asset(other)])
        }) { bench async throws in
            try bench.then(#"echo '{"type":"profile","make":"Make"}'"#)
            let reply = try bench.client.send("GET", Self.path, try bench.token(.admin))
            #expect(reply.json?["profiles"]?.items?.count == 1 && reply.json?["more"]?.flag == true, "\(reply.body)")
        }
    }

    @Test func whatTheCommandRefusesIsTold() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try bench.then(#"echo '{"type":"error","code":"misconfigured","message":"No.","advice":"Do."}'; exit 78"#)
            let reply = try bench.client.send("GET", Self.path, try bench.token(.admin))
            #expect(reply.status == 503 && reply.json?["message"]?.string == "No.", "\(reply.body)")
        }
    }

    @Test func aLedgerWithoutCamerasHasNone() async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.client.send("GET", Self.path, try bench.token(.admin))
            #expect(reply.status == 200 && reply.json?["profiles"]?.items?.isEmpty == true, "\(reply.body)")
            #expect(try bench.words().isEmpty)
        }
    }
}
