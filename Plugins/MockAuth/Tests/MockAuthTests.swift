import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import MockAuth

@Suite struct MockAuthTests {
    let folder: ScratchFolder, clock = BenchClock()

    init() throws { folder = try ScratchFolder() }

    func make(_ options: [(String, String)] = []) throws -> MockAuth {
        let clock = clock
        let module = MockAuth(
            try BenchModule.options(MockAuth.Options.self, options), BenchModule.context(folder.path),
            clock: { clock.now })
        try module.bind(to: "https://gallery.example")
        return module
    }

    @Test func signsInAndRenews() async throws {
        let module = try make([("account", "ann")]), request = HTTPRequest("GET", "https://gallery.example/x")
        await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(try await module.signIn(TestPrompter(), SignInPreference()).id == "ann")
        let first = try await module.sign(request)[header: "Authorization"]
        #expect(first?.hasPrefix("Bearer mock-ann-") == true)
        clock.advance(3600)
        #expect(try await module.sign(request)[header: "Authorization"] != first)
        #expect(MockAuth.manifest.testsOnly)
    }

    @Test func refusesAsTold() async throws {
        await #expect(throws: IngestError.self) {
            try await make([("fault", "sign_in")]).signIn(TestPrompter(), SignInPreference())
        }
        let module = try make([("fault", "renewal")])
        _ = try await module.signIn(TestPrompter(), SignInPreference())
        clock.advance(3600)
        let error = await #expect(throws: IngestError.self) {
            try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))
        }
        #expect(error?.code == .unauthorized)
        #expect(try await module.restore(validating: false).state.word == "expired")
    }
}
