import Foundation
import TestThreads
import Testing

/// A run that holds the state and does nothing any more holds up nobody.
@Suite(.ownThreads, .serialized) struct HungRunTests {
    @Test func anImportBesideASuspendedRunEnds() throws {
        let table = try Table()
        try table.sampleCard()
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(["watch", table.path("hot"), "--to", table.archive, "--state", table.state, "--json"])
        #expect(run.line(#"{"type":"status""#) != nil)
        Glibc.kill(run.process.processIdentifier, SIGSTOP)
        let outcome = try table.run(["import", table.card, "--to", table.path("elsewhere")])
        Glibc.kill(run.process.processIdentifier, SIGCONT)
        #expect(outcome.status == 10, "\(outcome.errors)")
        #expect(try table.run(["import", table.card, "--to", table.path("elsewhere")]).status == 0)
        #expect(run.kill(SIGTERM).status == 143)
    }
}
