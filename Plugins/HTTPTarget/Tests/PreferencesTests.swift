import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import HTTPTarget

private struct Token: AuthProvider {
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var request = request
        request.headers.append(("Authorization", "Bearer ann"))
        return request
    }
}

/// An account's preferences, kept as one JSON object that other programs use too.
@Suite(.timeLimit(.minutes(5))) struct PreferencesTests {
    /// Refuses what is not signed in, not JSON, or about another version than the one that is kept.
    private final class Kept: Sendable {
        let state = Mutex((text: String?.none, version: 0))

        func answer(_ seen: FaultServer.Seen) -> FaultAct {
            state.withLock { kept in
                guard seen.target == "/me/preferences" else { return .answer(410) }
                guard seen[header: "Authorization"] == "Bearer ann" else { return .answer(401) }
                let version = "\"\(kept.version)\""
                if seen.method == "GET" {
                    guard let text = kept.text else { return .answer(404) }
                    return .answer(200, headers: [("ETag", version)], body: text)
                }
                guard seen.method == "PUT", case .object? = JSONValue(seen.body) else { return .answer(400) }
                if let condition = seen[header: "If-Match"], condition != version { return .answer(412) }
                if kept.text != nil, seen[header: "If-Match"] == nil { return .answer(428) }
                kept = (String(decoding: seen.body, as: UTF8.self), kept.version + 1)
                return .answer(204)
            }
        }
    }

    private func target(_ url: String) throws -> HTTPTarget {
        try make(
            [
                "url": .text(url + "/up/{name}"), "auth": .text("studio"),
                "preferences": .text(url + "/me/preferences"),
            ], auth: ["studio": Token()])
    }

    @Test func oneIsKeptBesideTheOthers() async throws {
        let kept = Kept(), server = try FaultServer { seen, _ in .compute { kept.answer($0) } }
        defer { server.stop() }
        let target = try target(server.url)
        #expect(target.keepsPreferences)
        #expect(try await target.preferences().isEmpty)
        try await target.keep(Preference("Smith", changed: 1_700_000_000_123), as: "event")
        try await target.keep(Preference("", changed: 5), as: "clocks")
        #expect(
            try await target.preferences() == [
                "event": Preference("Smith", changed: 1_700_000_000_123), "clocks": Preference("", changed: 5),
            ])
        // What somebody else keeps there stays, and is none of ours.
        kept.state.withLock { $0.text = #"{"theme":"dark","event":{"value":"Smith","changed":1}}"# }
        try await target.keep(Preference("Jones", changed: 2), as: "event")
        #expect(kept.state.withLock(\.text)?.contains(#""theme":"dark""#) == true)
        #expect(try await target.preferences() == ["event": Preference("Jones", changed: 2)])
    }

    @Test(arguments: ["[]", "<html>", "\"x\""]) func whatIsNoObjectIsNeverWrittenOver(_ text: String) async throws {
        let kept = Kept(), server = try FaultServer { seen, _ in .compute { kept.answer($0) } }
        defer { server.stop() }
        kept.state.withLock { $0.text = text }
        let target = try target(server.url)
        #expect(await code { () async throws(IngestError) in try await target.preferences() } != nil)
        let write = await code { () async throws(IngestError) in
            try await target.keep(Preference("Smith", changed: 1), as: "event")
        }
        #expect(write != nil)
        #expect(kept.state.withLock(\.text) == text)
    }

    @Test func withoutAnAddressNothingIsAsked() async throws {
        #expect(try !make(["url": .text("http://127.0.0.1:9/{name}")]).keepsPreferences)
    }

    @Test func preferencesNeedAnAccount() {
        let (_, errors) = decode(["url": .text("http://a.example/{name}"), "preferences": .text("http://a.example/me")])
        #expect(errors.map(\.code) == ["bad-option"])
    }
}
