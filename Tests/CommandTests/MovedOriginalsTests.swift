import Foundation
import TestThreads
import Testing

/// `take: move`: originals go when their copies are proven, and only in a run that was meant to.
@Suite(.ownThreads) struct MovedOriginalsTests {
    private func pipeline(_ table: Table, take: String) throws -> String {
        try table.write(
            "hot.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", take: \(take), settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: reread } } }
            """)
    }

    private func originals(_ table: Table) -> [String] { table.files(table.path("hot")).keys.sorted() }

    /// The copies are proven, so the next run would remove the originals; a plan only says so.
    @Test func aPlanRemovesNothing() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 0)
        let all = originals(table)
        #expect(try table.run(["run", try pipeline(table, take: "copy"), "--once"]).count("delivered") == 2)
        let moving = try pipeline(table, take: "move")
        let plan = try table.run(["plan", "--pipeline", moving])
        #expect(plan.status == 0 && plan.count("alreadySeen") == 2, "\(plan.output)\(plan.errors)")
        #expect(all.count == 2 && originals(table) == all)
        #expect(try table.run(["run", moving, "--once"]).count("alreadySeen") == 2)
        #expect(originals(table).isEmpty)
    }
}
