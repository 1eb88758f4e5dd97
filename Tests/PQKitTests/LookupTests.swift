import ClusterTesting
import Dispatch
import FilmgateCore
import Synchronization
import Testing

@testable import PQKit

/// Names of hosts are looked up beside whoever waits for them: a name server that is away holds nobody up.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct LookupTests {
    /// A resolver that does not answer before it is let go.
    private final class SilentResolver: Sendable {
        private let asked = Mutex(0), letGo = DispatchSemaphore(value: 0)
        var count: Int { asked.withLock(\.self) }

        func resolve(_ name: String) -> NameLookups.Answer {
            asked.withLock { $0 += 1 }
            letGo.wait()
            letGo.signal()
            return .failure("Temporary failure in name resolution")
        }
        func end() { letGo.signal() }
    }

    private func connection(
        _ resolver: SilentResolver, hosts: String = "db.example", connect: Duration = .milliseconds(200)
    ) throws -> PQConnection {
        var options = try PQOptions("postgresql://desk3@\(hosts)/filmgate?sslmode=verify-full")
        options.connect = connect
        options.lookups = NameLookups { resolver.resolve($0) }
        return PQConnection(options)
    }

    @Test func aResolverThatNeverAnswersIsGivenUpInTime() async throws {
        let resolver = SilentResolver(), connection = try connection(resolver)
        defer { resolver.end() }
        for _ in 0..<10 {
            let error = await expect(.unavailable) { try await connection.server() }
            #expect(error?.message == "db.example: the look-up of this name timed out.")
            #expect(error?.advice?.hasPrefix("No name server answers") == true)
        }
        // Each try waited for the same look-up: threads do not pile up.
        #expect(resolver.count == 1)
    }

    @Test func whoeverWaitsHasItsAnswerAndTheNextOneAsksAnew() async throws {
        let resolver = SilentResolver(), connection = try connection(resolver, connect: .seconds(60))
        let waiting = Task { await expect(.unavailable) { try await connection.server() } }
        while resolver.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        resolver.end()
        let error = await waiting.value
        #expect(
            error?.message.hasPrefix("db.example: could not translate host name \"db.example\" to address: Temporary")
                == true)
        await expect(.unavailable) { try await connection.server() }
        #expect(resolver.count == 2)
    }

    /// Each host has its own time, and its own thread.
    @Test func theOtherHostIsTried() async throws {
        let resolver = SilentResolver(), connection = try connection(resolver, hosts: "db1.example,db2.example")
        defer { resolver.end() }
        let error = await expect(.unavailable) { try await connection.server() }
        #expect(error?.message.contains("db1.example: ") == true && error?.message.contains("db2.example: ") == true)
        #expect(resolver.count == 2)
    }

    /// The end of a run breaks off what waits.
    @Test func aCancelledTaskDoesNotWaitForTheResolver() async throws {
        let resolver = SilentResolver(), connection = try connection(resolver, connect: .seconds(3600))
        defer { resolver.end() }
        let waiting = Task { await expect(.cancelled) { try await connection.server() } }
        while resolver.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        waiting.cancel()
        _ = await waiting.value
    }

    @Test func addressesAndSocketsAreNotLookedUp() async throws {
        let resolver = SilentResolver()
        defer { resolver.end() }
        for host in ["127.0.0.1:9", "[::1]:9", "%2Fnonexistent"] {
            await expect(.unavailable) { try await connection(resolver, hosts: host).server() }
        }
        #expect(resolver.count == 0)
    }

    /// libpq is given an address beside it, and proves the name.
    @Test func theNameStays() throws {
        let options = try PQOptions("postgresql://a@db.example/b?sslmode=verify-full"), host = options.address.hosts[0]
        let words = Dictionary(uniqueKeysWithValues: try PQKeywords.of(host, options))
        #expect(words["host"] == "db.example" && words["hostaddr"] == nil)
    }

    @Test func theSystemsResolverKnowsThisMachine() {
        guard case .addresses(let found) = NameLookups.system("localhost") else {
            Issue.record("It has no address.")
            return
        }
        #expect(found.contains("127.0.0.1") || found.contains("::1"), "\(found)")
    }
}
