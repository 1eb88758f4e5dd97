import Foundation
import TestThreads
import Testing

/// A camera that was asked for by its address and answers as another make's.
@Suite(.ownThreads, .serialized) struct StrangerTests {
    private func outcome(_ table: Table, _ sources: String, _ verb: [String]) throws -> Program.Outcome {
        let pipeline = try table.write(
            "wrong.yaml",
            """
            version: 1
            sources: [ \(sources) ]
            stages: [ { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{name}", verify: size } } }
            """)
        return try table.run(verb.map { $0 == "FILE" ? pipeline : $0 })
    }

    @Test(arguments: [["import", "--pipeline", "FILE"], ["run", "FILE", "--once", "--backlog", "all"]])
    func itsNameAndItsModuleAreSaid(_ verb: [String]) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("canon", card: table.card)
        let host = "{ hosts: [\"127.0.0.1:\(camera.port)\"], usb: false }"
        let wrong = try outcome(table, "{ nikon: \(host) }", verb)
        #expect(wrong.status == 5, "\(wrong.errors)")
        let said = wrong.output + wrong.errors
        #expect(
            said.contains("Canon") && said.contains("`nikon` does not take it") && said.contains("Use `canon`"),
            "\(said)")
        // Another source of the pipeline has it.
        let both = try outcome(table, "{ nikon: \(host) }, { canon: \(host) }", verb)
        #expect(both.status == 0, "\(both.errors)")
    }

    @Test func aForcedModuleThatDoesNotFitIsSaid() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("ptp", card: table.card)
        let outcome = try table.run(
            [
                "import", "--camera", "127.0.0.1:\(camera.port)", "--via", "canon", "--to", table.archive, "--verify",
                "size",
            ])
        #expect(outcome.status == 5, "\(outcome.errors)")
        #expect((outcome.output + outcome.errors).contains("`canon` does not take it"))
    }
}
