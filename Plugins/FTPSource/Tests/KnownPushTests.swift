import FilmgateCore
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import FTPSource

/// A pushed file that a later run meets again without reading it: the ledger says whether it may go.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct KnownPushTests {
    private static let sha256 = String(repeating: "a", count: 64)
    private static var content: ContentKey { ContentKey(sha256: sha256) }

    /// What the ledger has of its bytes, and whether the file stays then.
    struct Known: Sendable, CustomTestStringConvertible {
        var name: String, receipts: [String: Receipt], denied: String?
        var stays = true
        var testDescription: String { name }

        init(_ name: String, _ receipts: [String: Receipt], denied: String? = nil, stays: Bool = true) {
            (self.name, self.receipts, self.denied, self.stays) = (name, receipts, denied, stays)
        }
    }

    private static func done(_ sha256: String? = sha256) -> Receipt {
        Receipt(state: .done, sha256: sha256, verified: .reread, at: 1)
    }

    private static var hearsay: Receipt {
        Receipt(state: .done, sha256: sha256, verified: .hearsay, at: 1, existed: true)
    }

    private static var all: [Known] {
        [
            Known("delivered", ["archive": done()], stays: false),
            Known("delivered, and stamped elsewhere", ["archive": done(), "gallery": done("b")], stays: false),
            Known(
                "delivered, and left out elsewhere", ["archive": done(), "gallery": Receipt(state: .excluded)],
                stays: false),
            Known("only a stamped copy", ["gallery": done("b")]),
            Known("only another station says so", ["gallery": hearsay]),
            Known("its target has lost it", ["archive": done()], denied: "archive"),
            Known("waits for a target", ["archive": done(), "gallery": Receipt(state: .pending, sha256: sha256)]),
            Known("waits for its event", ["archive": Receipt(state: .held)]),
            Known("was taken back", ["archive": Receipt(state: .excluded, reason: DeliveryRow.cancelledReason)]),
            Known("nothing is known", [:]),
        ]
    }

    @Test(arguments: all) func onlyWhatIsElsewhereIsGivenUp(_ known: Known) async throws {
        let ledger = try SQLiteLedger.inMemory(), scene = try await PushScene(ledger: ledger)
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann") && client.store("STOR IMG_1.JPG", PushScene.jpeg(900)) == 226)
        let entry = try #require(await scene.entries(1).first)
        try await note(known, of: entry, in: ledger)
        var settled = AssetResult(
            asset: Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot), ending: .alreadySeen)
        settled.content = Self.content
        scene.session.settled(settled)
        await scene.session.concluded()
        let path = try #require(scene.session.localPath(entry.origin))
        #expect(FileManager.default.fileExists(atPath: path) == known.stays)
        await scene.close()
    }

    private func note(_ known: Known, of entry: SourceEntry, in ledger: SQLiteLedger) async throws {
        var row = AssetRow(origin: entry.origin, run: 0, kind: .jpeg, shot: entry.shot, at: 1)
        (row.content, row.digests) = (Self.content, Digests(sha256: Self.sha256))
        var changes = [LedgerChange.asset(row)]
        for (target, receipt) in known.receipts {
            changes.append(
                .delivery(
                    DeliveryRow(
                        content: Self.content, target: target, targetName: target, receipt: receipt,
                        size: entry.origin.size, path: "IMG_1.JPG")))
        }
        if let target = known.denied {
            changes.append(.heard(Self.content, target: target, Denial(.gone, "It is not there.", at: 2)))
        }
        try await ledger.record(changes)
    }
}
