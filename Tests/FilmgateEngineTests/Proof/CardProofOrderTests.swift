import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// The same with the whole of `safe-to-format`: a folder's copy that is read, a gallery that is asked, and what was
/// written down between.
@Suite struct CardProofOrderTests {
    private enum Step: CaseIterable {
        case delivered, deliveredUnconfirmed, saysYes, saysNo, fails, cannotTell, unasked, changed, back, removed
    }

    /// Says what the test lets it say.
    private struct Gallery: UploadTarget {
        let step: Step
        var traits: TargetTraits { TargetTraits(identity: "far") }
        func check() async throws(IngestError) {}
        func knows(_ job: UploadJob) async throws(IngestError) -> Bool? {
            switch step {
            case .saysYes: true
            case .saysNo: false
            case .fails: throw IngestError(.unavailable, "It is broken.")
            default: nil
            }
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// The ledger of one file with two deliveries.
    private final class FakeLedger: LedgerStandIn {
        let asset: AssetRow
        private let rows: Mutex<[String: DeliveryRow]>

        init(_ asset: AssetRow, near: DeliveryRow) {
            self.asset = asset
            rows = Mutex(["near": near])
        }

        func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [asset] }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            rows.withLock { Array($0.values) }
        }
        func deliver(_ row: DeliveryRow) { rows.withLock { $0[row.target] = row } }
        func note(_ words: [TargetStatement]) {
            for word in words {
                rows.withLock { rows in
                    guard rows[word.target]?.receipt.at == word.receiptAt, rows[word.target]?.denial == word.before
                    else { return }
                    rows[word.target]?.denial = word.denial
                }
            }
        }
    }

    private final class ProofFixture {
        let folder: String, card: String, copy: String
        let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        let entry: SourceEntry, ledger: FakeLedger

        init(ending: Ending? = .delivered) throws {
            folder =
                FileManager.default.temporaryDirectory.path + "/filmgate-order-\(UInt64.random(in: 0...UInt64.max))"
            (card, copy) = (folder + "/CARD", folder + "/archive")
            for path in [card, copy] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try Data("test".utf8).write(to: URL(fileURLWithPath: card + "/A.JPG"))
            let origin = Origin(source: "card", volume: "v", root: card, path: "A.JPG", size: 4, modified: 0)
            entry = SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
            var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: entry.shot, at: 1)
            (asset.content, asset.wanted, asset.ending) = (ContentKey(sha256: sha256), ["near", "far"], ending)
            ledger = FakeLedger(asset, near: ProofFixture.row("near", sha256, path: copy + "/A.JPG", isConfirmed: true))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        static func row(
            _ target: String, _ sha256: String, path: String? = nil, isConfirmed: Bool, at: Int64 = 1
        ) -> DeliveryRow {
            let receipt = Receipt(
                state: .done, path: path, sha256: sha256, verified: isConfirmed ? .server : .none, at: at)
            return DeliveryRow(
                content: ContentKey(sha256: sha256), target: target, targetName: target, receipt: receipt, size: 4,
                path: "A.JPG")
        }

        func put(_ text: String?) throws {
            let file = URL(fileURLWithPath: copy + "/A.JPG")
            if let text { try Data(text.utf8).write(to: file) } else { try? FileManager.default.removeItem(at: file) }
        }

        func isSafe(asking step: Step) async throws -> Bool {
            let asked: Set<Step> = [.saysYes, .saysNo, .fails, .cannotTell]
            let plan = Plan(
                sources: [], stages: [], targets: [("far", Gallery(step: step))], profiles: ProfileSet(), spool: 1)
            let proofTargets = try asked.contains(step) ? ProofTargets { _ throws(IngestError) in [plan] } : nil
            let proof = CardProof(
                reader: ledger, proofTargets: proofTargets, allowance: .sameDevice, exemptions: .init { _ in false })
            let finding = try await proof.examine(entry, at: card + "/A.JPG")
            ledger.note(proof.heard.all)
            return finding.verdict == .proven
        }
    }

    @Test func aYesNeedsTheLastWordOfTheGalleryAndTheBytesOfTheFolder() async throws {
        let fixture = try ProofFixture()
        var random = SeededRandomNumbers(4), yeses = 0
        for _ in 0..<100 {
            // The last word of the gallery; nil after a delivery that it did not confirm.
            var far: Bool?, isThere = true, clock: Int64 = 1
            try fixture.put("test")
            fixture.ledger.deliver(ProofFixture.row("far", fixture.sha256, isConfirmed: false, at: clock))
            for _ in 0..<random.below(7) + 2 {
                let step = Step.allCases[random.below(Step.allCases.count)]
                switch step {
                case .delivered, .deliveredUnconfirmed:
                    clock += 1
                    far = step == .delivered ? true : nil
                    fixture.ledger.deliver(
                        ProofFixture.row("far", fixture.sha256, isConfirmed: step == .delivered, at: clock))
                // Also where the folder's copy fails already: both are named.
                case .saysYes: far = true
                case .saysNo: far = false
                case .fails, .cannotTell, .unasked: break
                case .changed: (isThere, _) = (false, try fixture.put("tess"))
                case .back: (isThere, _) = (true, try fixture.put("test"))
                case .removed: (isThere, _) = (false, try fixture.put(nil))
                }
                let isSafe = try await fixture.isSafe(asking: step)
                #expect(!isSafe || (far == true && isThere), "after \(step)")
                if step == .saysYes { #expect(isSafe == isThere) }
                if isSafe { yeses += 1 }
            }
        }
        #expect(yeses > 30)
    }

    /// Whatever answers in a gallery's place may have said that yes.
    @Test func aYesOfBeforeThatNamedNoDigestCountsOnlyWhereItIsSaidAgain() async throws {
        let fixture = try ProofFixture()
        var row = ProofFixture.row("far", fixture.sha256, isConfirmed: true)
        row.receipt.verified = .found
        try fixture.put("test")
        fixture.ledger.deliver(row)
        for step in [Step.unasked, .fails, .cannotTell] {
            #expect(try await fixture.isSafe(asking: step) == false, "\(step)")
        }
        #expect(try await fixture.isSafe(asking: .saysYes))
        #expect(try await fixture.isSafe(asking: .unasked) == false)
    }

    /// The folder's copy was changed, and the gallery has it no more.
    @Test func eachTargetThatLacksItIsNamed() async throws {
        let fixture = try ProofFixture()
        try fixture.put("tess")
        fixture.ledger.deliver(ProofFixture.row("far", fixture.sha256, isConfirmed: true))
        let plan = Plan(
            sources: [], stages: [], targets: [("far", Gallery(step: .saysNo))], profiles: ProfileSet(), spool: 1)
        let proof = CardProof(
            reader: fixture.ledger, proofTargets: try ProofTargets { _ throws(IngestError) in [plan] },
            allowance: .sameDevice, exemptions: .init { _ in false })
        let verdict = try await proof.examine(fixture.entry, at: fixture.card + "/A.JPG").verdict
        guard case .problem(let words, .deliverAnew) = verdict else {
            Issue.record("It is not the changed copy that is told first: \(verdict).")
            return
        }
        #expect(words.hasPrefix("near: ") && words.contains("; far: "), "\(words)")
    }

    /// A run with `--again` that was killed leaves a file without an ending that every target has.
    @Test func aRunThatBrokeOffTakesNoProofAway() async throws {
        let fixture = try ProofFixture(ending: nil)
        try fixture.put("test")
        #expect(try await !fixture.isSafe(asking: .saysYes))
        fixture.ledger.deliver(ProofFixture.row("far", fixture.sha256, isConfirmed: true))
        #expect(try await fixture.isSafe(asking: .saysYes))
        try fixture.put("tess")
        #expect(try await !fixture.isSafe(asking: .saysYes))
    }

    private struct Delivering: Stage {
        var traits: StageTraits { StageTraits(deliversTo: ["near", "far"]) }
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
    }

    /// It waits for a pick, and nobody has ordered it for a target that is new: both are named.
    @Test(arguments: [false, true]) func aTargetThatIsNewIsNamedBesideThePick(_ isOrdered: Bool) async throws {
        let fixture = try ProofFixture(ending: .pending)
        for target in isOrdered ? ["near", "far"] : ["near"] {
            var row = ProofFixture.row(target, fixture.sha256, isConfirmed: false)
            row.receipt = Receipt(state: .pending, reason: MarkRule.notPicked)
            row.gate = MarkGate([MarkRule(picks: .only)], sha256: fixture.sha256, camera: nil)
            fixture.ledger.deliver(row)
        }
        let plan = Plan(
            sources: [], stages: [Delivering()], targets: [("far", Gallery(step: .saysYes))], profiles: ProfileSet(),
            spool: 1)
        let proof = CardProof(
            reader: fixture.ledger, proofTargets: try ProofTargets { _ throws(IngestError) in [plan] },
            allowance: .sameDevice, exemptions: .init { _ in false })
        let verdict = try await proof.examine(fixture.entry, at: fixture.card + "/A.JPG").verdict
        let pending = "pending: not delivered yet", missing = "far: never delivered there, and the pipeline wants it"
        #expect(verdict == (isOrdered ? .problem(pending, .mark) : .problem("\(pending); \(missing)", .deliver)))
    }
}
