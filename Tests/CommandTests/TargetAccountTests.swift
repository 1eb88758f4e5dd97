import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// A gallery that cannot be asked what it has, and a sign-in that is called otherwise: the same account, or another one.
@Suite(.ownThreads, .serialized) struct TargetAccountTests {
    private final class Uploads: Sendable {
        let count = Mutex(0)
    }
    private let table: Table, uploads = Uploads(), server: FaultServer

    init() throws {
        table = try Table()
        let uploads = uploads
        server = try FaultServer { seen, _ in
            guard seen.method == "POST" else { return .answer(404) }
            uploads.count.withLock { $0 += 1 }
            return .answer(201)
        }
        try table.frames("CARD", count: 2, from: 1)
    }

    private func pipeline(_ auth: String, _ more: String, second: String? = nil) throws -> String {
        let signIn = auth.isEmpty ? "" : ", auth: \(auth)"
        let other = second.map { "\n  other: { http: { url: \"\(server.url)/upload\", auth: \($0) } }" } ?? ""
        let names = Set([auth.isEmpty ? "unused" : auth] + [second].compactMap { $0 }).sorted()
        return try table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, gallery] }]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
              gallery: { http: { url: "\(server.url)/upload"\(signIn)\(more) } }\(other)
            auth: { \(names.map { "\($0): { bearer: { token: \"${env:GALLERY}\" } }" }.joined(separator: ", ")) }
            """)
    }

    /// How many files were sent, and what was said where the import was refused.
    private func take(_ auth: String, _ more: String = "", event: String? = nil, second: String? = nil) throws -> (
        sent: Int, refusal: String?
    ) {
        let before = uploads.count.withLock { $0 }
        let run = try table.run(
            ["import", table.card, "--pipeline", try pipeline(auth, more, second: second), "--wait", "5s"]
                + (event.map { ["--event", $0] } ?? []), environment: ["GALLERY": "token"])
        #expect(run.status == 0 || run.status == 2, "\(run.output)\(run.errors)")
        return (uploads.count.withLock { $0 } - before, run.status == 2 ? run.output + run.errors : nil)
    }

    @Test(arguments: [nil, "wedding", "studio", "Wedding: the party"])
    func anotherNameIsAskedAboutBeforeAllIsSentAnew(_ event: String?) throws {
        #expect(try take("studio", event: event) == (2, nil))
        let renamed = try take("atelier", event: event)
        let said = try #require(renamed.refusal)
        #expect(renamed.sent == 0)
        #expect(said.contains("with the sign-in `studio`") && said.contains("with the sign-in `atelier`"), "\(said)")
        #expect(said.contains("`account: studio`") && said.contains("`account: atelier`"), "\(said)")
        // The same account: nothing is sent.
        #expect(try take("atelier", ", account: studio", event: event) == (0, nil))
        // Another one gets all, and nobody is asked again.
        #expect(try take("atelier", ", account: atelier", event: event) == (2, nil))
        #expect(try take("atelier", event: event) == (0, nil))
        server.stop()
    }

    @Test(arguments: [("", "studio"), ("studio", "")]) func aSignInThatCameOrWentIsAskedAbout(
        _ before: String, _ now: String
    ) throws {
        #expect(try take(before) == (2, nil))
        let said = try #require(try take(now).refusal)
        #expect(said.contains("without a sign-in") && said.contains("with the sign-in `studio`"), "\(said)")
        let same = before.isEmpty ? "\"\"" : before, other = now.isEmpty ? "\"\"" : now
        #expect(said.contains("`account: \(same.replacing("\"", with: "\\\""))`"), "\(said)")
        #expect(try take(now, ", account: \(same)") == (0, nil))
        #expect(try take(now, ", account: \(other)") == (2, nil))
        server.stop()
    }

    /// Other events are other deliveries, and sign-ins of one pipeline stand beside each other.
    @Test func whatIsNoOtherAccountIsNotAskedAbout() throws {
        for event in ["one", "two"] { #expect(try take("studio", event: event) == (2, nil)) }
        #expect(try take("atelier", event: "three") == (2, nil))
        // `studio` is there still, under another target: `atelier` is another account.
        #expect(try take("atelier", event: "one", second: "studio") == (2, nil))
        server.stop()
    }

    /// A sign-in that says whose it is may be called otherwise, and is asked about where it is another.
    @Test func aUserNameIsAnAccount() throws {
        #expect(try take("studio") == (2, nil))
        let basic = try pipeline("ann", "").replacing("p.yaml", with: "basic.yaml")
        let text = try String(contentsOfFile: basic.replacing("basic.yaml", with: "p.yaml"), encoding: .utf8)
        let changed = text.replacing(
            "bearer: { token: \"${env:GALLERY}\" }", with: "basic: { username: ann, password: \"${env:GALLERY}\" }")
        try table.write("basic.yaml", changed)
        let run = try table.run(
            ["import", table.card, "--pipeline", basic, "--wait", "5s"], environment: ["GALLERY": "token"])
        #expect(run.status == 2 && (run.output + run.errors).contains("`account: studio`"), "\(run.output)")
        server.stop()
    }

    /// Who makes no second asset of the same bytes may be sent them again.
    @Test func whoKnowsBytesAgainIsNotAskedAbout() throws {
        #expect(try take("studio", ", deduplicates: true") == (2, nil))
        #expect(try take("atelier", ", deduplicates: true") == (2, nil))
        server.stop()
    }
}
