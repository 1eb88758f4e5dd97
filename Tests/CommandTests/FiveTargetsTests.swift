import Foundation
import TestThreads
import Testing

/// One card to five places at once, while one of them cannot be reached.
@Suite(.ownThreads, .serialized) struct FiveTargetsTests {
    private let table: Table
    private let galleries: [Gallery]

    init() throws {
        table = try Table()
        try table.sampleCard()
        let first = table
        galleries = try ["one", "two", "three"].map { try Gallery(first, in: $0) }
    }

    /// `{name}` in the third gallery's address: names are asked for there before anything is sent.
    private func pipeline() throws -> String {
        let parts = zip(["one", "two", "three"], galleries).map { name, gallery in
            let address = gallery.address + "/api/assets" + (name == "three" ? "/{event}/{name}" : "")
            return """
                  \(name):
                    http:
                      url: "\(address)"
                      auth: studio
                      digest: { json: sha256 }
                      find: { url: "\(gallery.address)/api/assets/by-digest/{sha256}" }
                      connect_timeout: 2s
                """
        }
        return try table.write(
            "five.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, backup, one, two, three] }]
            retry: { first: 10ms, most: 200ms }
            targets:
              archive: { folder: { path: "\(table.archive)/{captured:yyyy-MM-dd}", verify: size } }
              backup: { folder: { path: "\(table.path("backup"))/{captured:yyyy-MM-dd}", verify: size } }
            \(parts.joined(separator: "\n"))
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            """)
    }

    private func safeToFormat() throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card, "--allow", "same-device"], environment: Gallery.environment)
    }

    @Test func fourCompleteOneQueuedAndBackAgain() throws {
        let file = try pipeline(), down = galleries[2]
        down.stop()
        let first = try table.run(
            ["import", table.card, "--pipeline", file, "--event", "w", "--wait", "2s"], environment: Gallery.environment
        )
        #expect(first.status == 8, "\(first.errors)")
        for folder in [table.archive, table.path("backup")] { #expect(table.files(folder).count == 16) }
        for gallery in galleries[..<2] { #expect(try gallery.assets().count == 16) }
        let states = first.items().compactMap { $0["receipts"] as? [String: [String: Any]] }.filter { !$0.isEmpty }
        #expect(states.count >= 16 && states.allSatisfy { $0["three"]?["state"] as? String == "pending" })
        let no = try safeToFormat()
        #expect(no.status == 8)
        #expect((no.output + no.errors).contains("three"), "\(no.output)\(no.errors)")
        // The network is back; the same address again.
        let back = try Gallery(table, in: "three", at: down.address)
        let retried = try table.run(["retry"], environment: Gallery.environment)
        #expect(retried.status == 0, "\(retried.errors)")
        #expect(Set(try back.assets().compactMap { $0["sha256"] as? String }).count == 16)
        #expect(try back.assets().count == 16)
        let yes = try safeToFormat()
        #expect(yes.status == 0, "\(yes.output)\(yes.errors)")
    }
}
