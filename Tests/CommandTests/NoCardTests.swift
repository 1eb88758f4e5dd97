import Foundation
import Testing

/// A camera without a card is not a card without files: nothing about it may read as if all were safe.
@Suite(.serialized) struct NoCardTests {
    @Test(arguments: ["canon", "nikon", "sony", "ptp"]) func aCameraWithoutACardIsToldPlainly(_ make: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated(make, card: table.card, more: ["--at", "0s=pull-card"])
        let id = "ptpip://127.0.0.1:\(camera.port)"
        #expect(Self.becomesTrue { try Self.cardOf(camera, table) == false })
        let text = try Program.run(["cameras", "--host", "127.0.0.1:\(camera.port)", "--state", table.state])
        #expect(text.output.contains("no card"))

        let outcome = try table.run(["import", "--camera", id, "--to", table.archive])
        #expect(outcome.status == 5, "\(outcome.errors)")
        #expect((outcome.output + outcome.errors).contains("has no card"))
        #expect(try table.run(["safe-to-format", id]).status != 0)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ \(make): { hosts: ["127.0.0.1:\(camera.port)"], usb: false } }]
            stages: [{ upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        #expect(try table.run(["run", pipeline, "--once"]).status == 5)
    }

    private static let hasGPhoto2 = FileManager.default.isExecutableFile(atPath: Program.path + "-gphoto2")

    @Test(.enabled(if: hasGPhoto2)) func libgphoto2TakesACameraOnTheNetworkAndMissesItsCardAloud() throws {
        let table = try Table()
        try table.sampleCard()
        let full = try Simulated("nikon", card: table.card)
        let words = ["--via", "gphoto2", "--to", table.archive, "--verify", "size"]
        let taken = try table.run(["import", "--camera", "127.0.0.1:\(full.port)"] + words)
        #expect(taken.status == 0 && taken.count("delivered") >= 15, "\(taken.errors)")
        let bare = try Simulated("nikon", card: table.card, more: ["--at", "0s=pull-card"])
        #expect(Self.becomesTrue { try Self.cardOf(bare, table) == false })
        let nothing = try table.run(["import", "--camera", "127.0.0.1:\(bare.port)"] + words)
        #expect(nothing.status == 5, "\(nothing.errors)")
        #expect((nothing.output + nothing.errors).contains("no card"))
    }

    @Test func aFolderWithoutFilesIsNoProof() throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.card, withIntermediateDirectories: true)
        #expect(try table.importing().status == 0)
        #expect(try table.run(["safe-to-format", table.card]).status != 0)
    }

    private static func cardOf(_ camera: Simulated, _ table: Table) throws -> Bool? {
        let outcome = try table.run(["cameras", "--host", "127.0.0.1:\(camera.port)"])
        return outcome.items("camera").first { $0["transport"] as? String == "ptpip" }?["card"] as? Bool
    }

    private static func becomesTrue(_ body: () throws -> Bool) -> Bool {
        for _ in 0..<50 {
            if (try? body()) == true { return true }
            usleep(200_000)
        }
        return false
    }
}
