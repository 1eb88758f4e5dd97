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

    /// A run that was killed holds its state until the kernel has taken it apart.
    @Test func whoeverHoldsTheStateForAMomentIsWaitedFor() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let lock = open(table.state + "/lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        Thread.detachNewThread {
            usleep(600_000)
            close(lock)
        }
        let outcome = try table.importing()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
