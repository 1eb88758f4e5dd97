import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// `check --connect` and `login` where nobody answers.
@Suite(.ownThreads) struct ConnectTests {
    private func pipeline(_ table: Table, _ auth: String) throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: ["\(table.card)"] } }]
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [gallery] } }]
            targets:
              gallery: { http: { url: "http://127.0.0.1:9/up", auth: studio, digest: { json: sha256 } } }
            auth:
              studio: { \(auth) }
            """)
    }

    @Test func aGalleryThatIsDownEndsWithFive() throws {
        let table = try Table(), file = try pipeline(table, "bearer: { token: \"${env:FILMGATE_GALLERY_TOKEN}\" }")
        let words = ["check", file, "--connect", "--state", table.state]
        let outcome = try Program.run(words, environment: Gallery.environment)
        #expect(outcome.status == 5, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("valid, but") && !outcome.output.hasSuffix("valid\n"), "\(outcome.output)")
        #expect(try Program.run(words, environment: [:]).status == 4)
        #expect(try Program.run(["check", file]).output.hasSuffix("p.yaml: valid\n"))
    }

    /// Nor can it be used, and no sign-in is missing.
    @Test func aGalleryThatSaysYesToEverythingEndsWithFive() throws {
        let table = try Table(), server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let find = "find: { url: \"\(server.url)/by/{sha256}\" }"
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: [/nowhere] }]
            stages: [upload: { to: [gallery] }]
            targets: { gallery: { http: { url: "\(server.url)/up", method: POST, \(find) } } }
            """)
        let outcome = try Program.run(["check", file, "--connect", "--state", table.state])
        #expect(outcome.status == 5 && outcome.errors.contains("even bytes that do not exist"), "\(outcome.errors)")
    }

    @Test func aCameraThatIsDownIsTold() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("nikon", card: table.card), dead = FreePort.next()
        func check(_ source: String) throws -> Program.Outcome {
            let file = try table.write(
                "camera.yaml",
                """
                version: 1
                sources: [{ \(source) }, { card: { paths: ["\(table.card)"] } }]
                stages: [{ upload: { to: [archive] } }]
                targets: { archive: { folder: { path: "\(table.archive)" } } }
                """)
            return try Program.run(["check", file, "--connect", "--state", table.state])
        }
        let none = try check("nikon: { usb: false, hosts: 127.0.0.1:\(dead) }")
        #expect(
            none.status == 5 && none.errors.contains("nikon: No camera answers at 127.0.0.1:\(dead): "),
            "\(none.output)\(none.errors)")
        let one = try check("nikon: { usb: false, hosts: 127.0.0.1:\(camera.port) }")
        #expect(one.status == 0 && one.output.contains(" answers\n"), "\(one.output)\(one.errors)")
        #expect(one.output.contains("sources not tried: card"))
    }

    @Test func aProviderThatIsDownEndsWithFive() throws {
        let table = try Table()
        let file = try pipeline(table, "oidc: { issuer: \"http://127.0.0.1:9\", client_id: camera }")
        let outcome = try table.run(["login", file, "--device"])
        #expect(outcome.status == 5, "\(outcome.output)\(outcome.errors)")
    }

    /// A fixed token has nobody to ask about it before it is used.
    @Test func whatNobodyWasAskedAboutIsNotCalledSignedIn() throws {
        let table = try Table(), file = try pipeline(table, "bearer: { token: \"${env:FILMGATE_GALLERY_TOKEN}\" }")
        let words = ["login", file, "--check", "--state", table.state]
        let text = try Program.run(words, environment: Gallery.environment)
        #expect(text.status == 0 && text.output.contains("studio: stored, not checked"), "\(text.output)")
        let line = try Program.run(words + ["--json"], environment: Gallery.environment).items("account").first
        #expect(line?["state"] as? String == "signedIn" && line?["checkable"] as? Bool == false)
    }
}
