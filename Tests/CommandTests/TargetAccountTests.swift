import Foundation
import TestThreads
import Testing

/// A gallery that cannot be asked what it has, and a sign-in that is called otherwise: the same account, or another one.
@Suite(.ownThreads, .serialized) struct TargetAccountTests {
    private let table: Table, gallery: Gallery

    init() throws {
        table = try Table()
        gallery = try Gallery(table)
        try table.frames("CARD", count: 2, from: 1)
    }

    private func take(_ auth: String, _ more: String = "", event: String? = nil) throws -> Program.Outcome {
        let signIn = auth.isEmpty ? "" : ", auth: \(auth)"
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, gallery] }]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
              gallery: { http: { url: "\(gallery.address)/api/assets"\(signIn)\(more) } }
            auth: { \(auth.isEmpty ? "studio" : auth): { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } } }
            """)
        return try table.run(
            ["import", table.card, "--pipeline", pipeline, "--wait", "5s"] + (event.map { ["--event", $0] } ?? []),
            environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
    }

    private func sent(_ run: Program.Outcome) -> Int { run.status == 0 ? run.count("delivered") : -1 }

    @Test(arguments: [nil, "wedding", "studio"]) func anotherNameIsAskedAboutBeforeAllIsSentAnew(_ event: String?)
        throws
    {
        #expect(sent(try take("studio", event: event)) == 2)
        let renamed = try take("atelier", event: event)
        #expect(renamed.status == 2, "\(renamed.output)\(renamed.errors)")
        let said = renamed.output + renamed.errors
        #expect(said.contains("as `atelier` now") && said.contains("delivered there as `studio`"), "\(said)")
        #expect(said.contains("`account: studio`") && said.contains("`account: atelier`"))
        // The same account: nothing is sent.
        #expect(sent(try take("atelier", ", account: studio", event: event)) == 0)
        // Another one: all is.
        let other = try take("atelier", ", account: atelier", event: event)
        #expect(other.status == 0, "\(other.errors)")
        #expect(try gallery.assets().count == 2)
        // It has its own copies from then on, and nobody is asked again.
        #expect(sent(try take("atelier", event: event)) == 0)
    }

    @Test func anotherEventIsNoOtherAccount() throws {
        #expect(try take("studio", event: "one").status == 0)
        #expect(try take("studio", event: "two").status == 0)
        #expect(try take("atelier", event: "three").status == 0)
    }

    /// A target that is asked by digest tells itself what it has.
    @Test func whoCanBeAskedIsAsked() throws {
        let find = ", find: { url: \"\(gallery.address)/api/assets/by-digest/{sha256}\" }"
        #expect(try take("studio", find).status == 0)
        #expect(try take("atelier", find).status == 0)
        #expect(try gallery.assets().count == 2)
    }
}
