import Testing

@testable import FTPKit

/// What an inbox remembers for clients that ask afterwards.
@Suite struct RecentPushesTests {
    private let ann = FTPClient(login: "ann", peer: "192.0.2.7")
    private func recent(_ number: Int, of client: FTPClient) throws -> FTPRecent {
        FTPRecent(client: client, path: try FTPPath("A/\(number).JPG", from: .root))
    }

    /// Each push would else cost memory for as long as the program runs.
    @Test func theLatestAreRememberedAndNotMore() throws {
        var state = FTPInboxState()
        let most = FTPInboxState.remembered, folder = try FTPPath("A", from: .root)
        for number in 0..<3 * most {
            state.note(try recent(number, of: ann), FTPKnown(size: UInt64(number), modified: 1))
        }
        let names = state.recent(ann, in: folder).map(\.name)
        #expect((most...most + FTPInboxState.spare).contains(names.count))
        #expect(names == (3 * most - names.count..<3 * most).map { "\($0).JPG" })
        #expect(state.known(try recent(0, of: ann)) == nil)
        #expect(state.known(try recent(3 * most - 1, of: ann))?.size == UInt64(3 * most - 1))
    }

    @Test func whatIsPushedAgainKeepsItsPlaceAndWhatIsForgottenIsGone() throws {
        var state = FTPInboxState()
        for number in [1, 2, 3, 1] { state.note(try recent(number, of: ann), FTPKnown(size: 9, modified: 1)) }
        state.note(try recent(1, of: ann), FTPKnown(size: 10, modified: 2))
        state.forget(try recent(2, of: ann))
        let folder = try FTPPath("A", from: .root), found = state.recent(ann, in: folder)
        #expect(found.map(\.name) == ["1.JPG", "3.JPG"] && found.map(\.known.size) == [10, 9])
        #expect(state.recent(FTPClient(login: "ann", peer: "192.0.2.8"), in: folder).isEmpty)
    }
}
