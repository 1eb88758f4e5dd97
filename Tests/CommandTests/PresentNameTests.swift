import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Targets that have another name in the pipeline than when something was last written down of them.
@Suite(.ownThreads) struct PresentNameTests {
    /// The entry has another name in the file now, and nothing was written down since: it is the same target.
    @Test(arguments: [true, false]) func aTargetIsKnownByItsPresentName(isNamed: Bool) throws {
        let table = try Table(), port = FreePort.next()
        try table.frames("CARD", count: 2, from: 1)
        func pipeline(_ name: String) throws -> String {
            try table.write(
                "p.yaml",
                """
                version: 1
                stages: [ { dedupe: {} }, { upload: { to: [archive, \(name)] } } ]
                targets:
                  archive: { folder: { path: "\(table.archive)", verify: size } }
                  \(name): { http: { url: "http://127.0.0.1:\(port)/{name}", digest: { header: X-SHA256 } } }
                """)
        }
        let first = try pipeline("gallery")
        #expect(try table.run(["import", table.card, "--pipeline", first, "--wait", "1s"]).status == 8)
        let renamed = try pipeline("web")
        if !isNamed {
            let unknown = try table.run(["cancel", "--yes", "--target", "web"])
            #expect(unknown.status == 2 && unknown.errors.contains("gallery"), "\(unknown.errors)")
            // A run that has nothing to deliver there knows the name, and keeps its pipeline.
            try FileManager.default.createDirectory(atPath: table.path("EMPTY"), withIntermediateDirectories: true)
            _ = try table.run(["import", table.path("EMPTY"), "--pipeline", renamed, "--wait", "1s"])
        }
        let words = isNamed ? ["--target", "web", "--pipeline", renamed] : ["--target", "web"]
        let cancelled = try table.run(["cancel", "--yes"] + words)
        #expect(cancelled.status == 0 && cancelled.count("filtered") == 2, "\(cancelled.errors)")
    }

    /// The name that a place had is another's in the file now: what waits for the first is not meant by it, nor where
    /// the file cannot be used.
    @Test(arguments: [true, false]) func aNameThatAnotherPlaceHasNowTakesNothingBack(isUsable: Bool) throws {
        let table = try Table(), (port, other) = (FreePort.next(), FreePort.next())
        try table.frames("CARD", count: 2, from: 1)
        func pipeline(_ name: String, to: String, _ targets: String) throws -> String {
            try table.write(
                name,
                """
                version: 1
                stages: [ { dedupe: {} }, { upload: { to: \(to) } } ]
                targets:
                  archive: { folder: { path: "\(table.archive)", verify: size } }
                \(targets)
                """)
        }
        func place(_ name: String, _ port: Int) -> String {
            "  \(name): { http: { url: \"http://127.0.0.1:\(port)/{name}\", digest: { header: X-SHA256 } } }\n"
        }
        let first = try pipeline("first.yaml", to: "[archive, gallery]", place("gallery", port))
        #expect(try table.run(["import", table.card, "--pipeline", first, "--wait", "1s"]).status == 8)
        let both = place("web", port) + place("gallery", other)
        let swapped = try pipeline("p.yaml", to: "[archive, web, gallery]", both)
        // Two targets that would fill one folder: the file is read, and no plan comes of it.
        let twin = "  twin: { folder: { path: \"\(table.archive)\", verify: size } }\n"
        let asked = isUsable ? swapped : try pipeline("twins.yaml", to: "[archive, twin, web, gallery]", both + twin)
        for words in [[], ["--gone"]] {
            let refused = try table.run(["cancel", "--yes", "--target", "gallery", "--pipeline", asked] + words)
            #expect(refused.status == 2, "\(refused.output)")
            #expect(
                refused.output.contains(isUsable ? "nothing for `gallery` here" : "same folder"), "\(refused.output)")
        }
        // All of it waits still, and is found by the name that its place has now.
        let cancelled = try table.run(["cancel", "--yes", "--target", "web", "--pipeline", swapped])
        #expect(cancelled.status == 0 && cancelled.count("filtered") == 2, "\(cancelled.errors)")
    }
}
