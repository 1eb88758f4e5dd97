import Foundation
import TestThreads
import Testing

/// Clocks that were wrong: measured, kept per body, and used for names.
@Suite(.ownThreads) struct ClockTests {
    private func item(_ table: Table, _ make: String) throws -> [String: Any] {
        let found = try table.run(["inspect", table.card]).items()
        return try #require(
            found.first {
                ($0["make"] as? String)?.hasPrefix(make) == true && $0["serial"] is String
                    && $0["kind"] as? String == "jpeg"
            })
    }

    private func path(_ table: Table, _ item: [String: Any]) -> String {
        table.card + "/" + (item["path"] as? String ?? "")
    }

    private func seconds(_ text: String) throws -> TimeInterval {
        let format = DateFormatter()
        (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "UTC"))
        format.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
        return try #require(format.date(from: String(text.prefix(19)))).timeIntervalSince1970
    }

    @Test func aPhotoOfAClockSetsItsBodyRight() throws {
        let table = try Table()
        try table.sampleCard()
        let photo = try item(table, "Canon"), time = try #require(photo["captured"] as? String)
        let day = time.prefix(10)
        let shown = "\(day) \(time.dropFirst(11).prefix(6))" + (time.dropFirst(17).prefix(2) == "00" ? "30" : "00")
        let measured = try table.run(["clock", path(table, photo), "--shows", shown])
        #expect(measured.status == 0, "\(measured.errors)")
        let offset = try #require(measured.items("clock").first?["seconds"] as? Int)
        #expect(measured.items("clock").first?["serial"] as? String == photo["serial"] as? String)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)/{captured:yyyyMMddHHmmss}-{name}" } } }
            """)
        let outcome = try table.run(["import", table.card, "--pipeline", pipeline])
        let same = outcome.items().filter {
            $0["serial"] as? String == photo["serial"] as? String && $0["kind"] as? String == "jpeg"
        }
        for item in same {
            let camera = try #require(item["captured_camera"] as? String)
            let right = try #require(item["captured"] as? String)
            #expect(try seconds(right) - seconds(camera) == TimeInterval(offset))
        }
        #expect(!same.isEmpty)
        // The files' own facts stay what they are.
        #expect(try item(table, "Canon")["captured"] as? String == time)
        let shownProfile = try table.run(["profile", "show", path(table, photo), "--pipeline", pipeline])
        #expect(shownProfile.output.contains("clocks.yaml"))
        #expect(try table.run(["clock", "--forget", photo["serial"] as? String ?? ""]).status == 0)
        #expect(try table.run(["clock"]).items("clock").isEmpty)
    }

    /// Movies name their model and no serial number: those on the card of a body whose clock was measured have that
    /// clock.
    @Test func moviesHaveTheClockOfTheirBody() throws {
        let table = try Table()
        try table.sampleCard()
        let photo = try item(table, "Canon"), day = try #require(photo["captured"] as? String).prefix(10)
        #expect(try table.run(["clock", path(table, photo), "--shows", "\(day) 23:59:59"]).status == 0)
        let run = try table.importing()
        for kind in ["jpeg", "raw", "video"] {
            let same = run.items().filter {
                ($0["make"] as? String) == "Canon" && $0["kind"] as? String == kind && $0["twin"] is NSNull
            }
            #expect(!same.isEmpty)
            for item in same {
                let camera = try #require(item["captured_camera"] as? String)
                let right = try #require(item["captured"] as? String)
                #expect(try seconds(right) != seconds(camera), "\(item["path"] ?? "")")
            }
        }
        let plan = try table.run(["plan", table.card, "--to", table.path("other")])
        #expect(try table.importing(to: table.path("other")).status == 0)
        let names = Set(
            plan.items("plan").compactMap { ($0["receipts"] as? [String: [String: Any]])?["to"]?["path"] as? String })
        #expect(names.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    }

    @Test func twoBodiesAreBroughtTogether() throws {
        let table = try Table()
        try table.sampleCard()
        let first = try item(table, "Canon"), second = try item(table, "NIKON")
        let measured = try table.run(["clock", "--paired", path(table, first), path(table, second)])
        #expect(measured.status == 0, "\(measured.errors)")
        let clock = try #require(measured.items("clock").first)
        #expect(clock["serial"] as? String == second["serial"] as? String)
        #expect(try seconds(clock["captured"] as? String ?? "") == seconds(first["captured"] as? String ?? ""))
        #expect(try table.run(["clock", "--paired", path(table, first), path(table, first)]).status == 2)
    }

    /// One wrong digit in the year would put every file of the body into another year's folders.
    @Test func aClockThatIsDaysOffIsAskedAbout() throws {
        let table = try Table()
        try table.sampleCard()
        let photo = try item(table, "Canon"), time = try #require(photo["captured"] as? String)
        let words = [
            "clock", path(table, photo), "--shows",
            "1999\(time.dropFirst(4).prefix(6)) \(time.dropFirst(11).prefix(8))",
        ]
        let refused = try table.run(words)
        let advice = try #require(refused.items("error").first?["advice"] as? String)
        #expect(
            refused.status == 2 && advice.contains("Is the year right?") && advice.contains("--force"),
            "\(refused.output)")
        #expect((refused.items("error").first?["message"] as? String)?.contains(" days") == true)
        #expect(try table.run(["clock"]).items("clock").isEmpty)
        #expect(try table.run(words + ["--force"]).status == 0)
        #expect(try table.run(["clock"]).items("clock").count == 1)
        #expect(try table.run(["clock", "--forget", "999"]).status == 2)
        #expect(try table.run(["clock"]).items("clock").count == 1)
    }

    @Test func checkWarnsOfOffsetsThatNoZoneExplains() throws {
        let table = try Table()
        func warnings(_ offset: String) throws -> [[String: Any]] {
            let file = try table.write(
                "p.yaml",
                """
                version: 1
                sources: [{ card: {} }]
                profiles:
                  - { match: { make: canon }, clock_offset: "\(offset)" }
                stages: [{ upload: { to: [archive] } }]
                targets: { archive: { folder: { path: "\(table.archive)" } } }
                """)
            let outcome = try table.run(["check", file])
            #expect(outcome.status == 0, "\(outcome.output)")
            return outcome.items("diagnostic").filter { $0["code"] as? String == "large-offset" }
        }
        #expect(try warnings("-26:00:00").isEmpty)
        #expect(try warnings("+26:00:01").first?["line"] as? Int == 4)
    }

    @Test func nonsenseIsRefused() throws {
        let table = try Table()
        #expect(try table.run(["clock", "x.jpg", "--shows", "25:00"]).status == 2)
        #expect(try table.run(["clock", "x.jpg"]).status == 2)
        #expect(try table.run(["clock", "--paired", "x.jpg"]).status == 2)
    }
}
