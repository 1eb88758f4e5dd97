import Foundation
import TestThreads
import Testing

/// What a camera does not show never ends as "complete": a card may be formatted on that word.
@Suite(.ownThreads, .serialized) struct CameraGapTests {
    @Test(arguments: [
        ("ptp", "refuse@GetObjectInfo:code=200F,times=99", 3),
        ("nikon", "refuse@GetObjectInfo:code=200F,skip=6,times=9999", 3),
        ("sony", "refuse@GetObjectHandles:code=200F,times=99", 5), ("canon", "refuse@GetStorageIDs:times=99", 5),
        ("panasonic", "refuse@GetObjectHandles:code=200F,skip=2,times=99", 5),
    ])
    func whatIsRefusedIsTold(_ make: String, _ fault: String, _ status: Int32) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated(make, card: table.card, fault: fault)
        let outcome = try table.run([
            "import", "--camera", "ptpip://127.0.0.1:\(camera.port)", "--to", table.archive, "--verify", "size",
        ])
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(status == 5 || outcome.count("setAside") > 0)
    }

    /// Packets without end cost a camera its connection, and nobody the program.
    @Test(arguments: ["cameras", "import"]) func aFloodOfEmptyPacketsEndsNoProgram(_ verb: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("ptp", card: table.card, fault: "flood@GetStorageIDs:count=100000,times=9")
        let place = "127.0.0.1:\(camera.port)"
        let words = verb == "cameras" ? ["--host", place] : ["--camera", place, "--to", table.archive]
        let outcome = try table.run([verb] + words)
        #expect([0, 3, 5].contains(outcome.status), "\(outcome.status) \(outcome.errors)")
        #expect(table.files(table.archive).isEmpty || outcome.count("delivered") > 0)
    }

    @Test(arguments: ["ptp", "nikon", "sony", "panasonic", "canon"]) func oneSlipCostsNothing(_ make: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated(make, card: table.card, fault: "refuse@GetObjectInfo:code=200F")
        let outcome = try table.run([
            "import", "--camera", "ptpip://127.0.0.1:\(camera.port)", "--to", table.archive, "--verify", "size",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.count("delivered") >= 15)
    }
}
