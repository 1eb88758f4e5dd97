import Foundation
import TestThreads
import Testing

/// Frames that are taken for one event after another, and wait for their picks in each.
@Suite(.ownThreads, .serialized) struct SecondEventTests {
    private let table: Table
    init() throws {
        table = try Table()
        try table.frames("CARD", count: 2, from: 1)
    }

    private func picked() -> [String] {
        table.files(table.path("PICKS")).keys.filter { !$0.contains(".filmgate") }.sorted()
    }

    private func mark(_ flag: String) throws {
        let pictures = table.files(table.card).keys.sorted().map { table.card + "/" + $0 }
        #expect(try table.run(["mark", flag] + pictures).status == 0)
        #expect(try table.run(["retry"]).status == 0)
    }

    /// A folder that has a frame for one event holds it for the next one, too: nothing more waits in staging.
    @Test(arguments: ["--pick", "--reject"]) func whatAFolderHasIsNotStagedForTheNextEvent(_ flag: String) throws {
        let pipeline = try table.picksPipeline()
        for event in ["smith", "jones"] {
            try table.takeForPicks(pipeline, event)
            #expect(table.staged == [], "\(event)")
        }
        try mark(flag)
        #expect(picked().count == (flag == "--pick" ? 4 : 0) && table.staged == [])
    }

    /// Somebody worked on the first copies: what waits for later events is staged, sent from there, and released.
    @Test func whatWasStagedForSeveralEventsGoesWithThem() throws {
        let pipeline = try table.picksPipeline(), whole = table.files(table.card).values.map(\.count).sorted()
        try table.takeForPicks(pipeline, "smith")
        for name in table.files(table.path("NEAR")).keys where !name.contains(".filmgate") {
            try table.write("NEAR/" + name, Data([0xFF, 0xD8, 0xFF, 0xD9]))
        }
        for event in ["jones", "miller"] { try table.takeForPicks(pipeline, event) }
        #expect(table.staged.count == 4)
        try mark("--pick")
        #expect(picked().count == 6 && table.staged == [], "\(picked()) \(table.staged)")
        for event in ["smith", "jones", "miller"] {
            #expect(table.files(table.path("PICKS/" + event)).values.map(\.count).sorted() == whole)
        }
    }
}

extension Table {
    /// Every frame goes to one folder for all events; what is picked, to one for each.
    func picksPipeline() throws -> String {
        try write(
            "picks.yaml",
            """
            version: 1
            event: { required: true }
            sources: [card: { paths: ["\(card)"] }]
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [near, picks], deliver: { picks: { picks: only } } }
            targets:
              near: { folder: { path: "\(path("NEAR"))" } }
              picks: { folder: { path: "\(path("PICKS"))/{event}" } }
            """)
    }

    /// The card, for that event: its frames wait for their picks.
    func takeForPicks(_ pipeline: String, _ event: String) throws {
        let taken = try run(["import", card, "--pipeline", pipeline, "--event", event])
        #expect(taken.status == 8, "\(taken.output)\(taken.errors)")
    }

    /// Files in the state's staging folder.
    var staged: [String] { files(state + "/staging").keys.filter { !$0.hasSuffix(".lock") } }
}
