import FilmgateCore
import Testing

@testable import FilmgateEngine

/// A yes only when the last word on every wanted copy is a yes made by digest, whatever was done and asked in whatever
/// order.
@Suite struct EvidenceTests {
    private enum Step: CaseIterable {
        case delivered, deliveredUnconfirmed, changed, back, removed, asked, broken, silent, unasked
    }

    /// One target and what it really has, told in the plainest words: only the last one is kept.
    private struct Model {
        enum Word { case none, yes, no }
        var has = false, isOther = false, isDelivered = false, last = Word.none

        /// What the target answers when it can.
        var answer: TargetAnswer { has ? isOther ? .denies(.differs, "other") : .has : .denies(.gone, "gone") }

        mutating func go(_ step: Step) {
            switch step {
            case .delivered, .deliveredUnconfirmed:
                (has, isOther, isDelivered) = (true, false, true)
                last = step == .delivered ? .yes : .none
            case .changed: isOther = true
            case .back: (has, isOther) = (isDelivered, false)
            case .removed: has = false
            case .asked: if isDelivered { last = has && !isOther ? .yes : .no }
            case .broken, .silent, .unasked: break
            }
        }
    }

    /// What the program knows of the same target.
    private struct Known {
        var evidence = CopyEvidence(isConfirmed: false, denial: nil), isDelivered = false

        /// Whether the copy counts after this question.
        mutating func hear(_ word: TargetAnswer?) -> Bool {
            let standing = evidence.standing(word)
            evidence.hear(word)
            return isDelivered && (standing == .proven || standing == .believed)
        }

        mutating func go(_ step: Step, _ model: Model) -> Bool {
            switch step {
            case .delivered, .deliveredUnconfirmed:
                (evidence.isConfirmed, isDelivered) = (step == .delivered, true)
                evidence.hear(.has)
                return hear(nil)
            case .asked: return hear(model.answer)
            case .silent: return hear(.silent)
            case .changed, .back, .removed, .broken, .unasked: return hear(nil)
            }
        }
    }

    /// After each step every copy is asked for, so each beginning of a sequence is one of its own.
    @Test func aYesOnlyAfterTheLastWordOfEveryCopyWasAYes() {
        var random = SeededRandomNumbers(17), yeses = 0, noes = 0
        for _ in 0..<100_000 {
            var models = [Model(), Model()], known = [Known(), Known()]
            for _ in 0..<Int.random(in: 2...8, using: &random) {
                let place = random.below(2), step = Step.allCases[random.below(Step.allCases.count)]
                models[place].go(step)
                let counts = known[place].go(step, models[place]), isYes = known[1 - place].hear(nil) && counts
                if isYes, !models.allSatisfy({ $0.last == .yes }) {
                    Issue.record("yes after \(step), though \(models)")
                }
                // Nor is anybody told no for ever: who says now that it has them is believed.
                if step == .asked, models[place].last == .yes, !counts {
                    Issue.record("no after a yes: \(known[place])")
                }
                if isYes { yeses += 1 } else { noes += 1 }
            }
        }
        #expect(yeses > 10_000 && noes > 10_000)
    }

    /// Staged bytes go and a hidden file is left alone only where somebody has the same bytes by all that is known.
    @Test func aReceiptIsACopyUntilItsTargetDeniesIt() {
        let sha256 = String(repeating: "a", count: 64)
        func row(_ receipt: Receipt, denial: Denial? = nil) -> DeliveryRow {
            var row = DeliveryRow(
                content: ContentKey(sha256: sha256), target: "t", targetName: "t", receipt: receipt, size: 4,
                path: "A.JPG")
            row.denial = denial
            return row
        }
        let shown = Receipt(state: .done, sha256: sha256, verified: .server, at: 1)
        #expect(row(shown).holdsOriginal)
        #expect(!row(shown, denial: Denial(.gone, "gone", at: 2)).holdsOriginal)
        #expect(!row(Receipt(state: .done, sha256: sha256, verified: .none, at: 1)).holdsOriginal)
        #expect(!row(Receipt(state: .done, sha256: sha256, verified: .found, at: 1)).holdsOriginal)
        #expect(!row(Receipt(state: .pending, at: 1)).holdsOriginal)
        let stamped = Receipt(state: .done, sha256: String(repeating: "b", count: 64), verified: .server, at: 1)
        #expect(!row(stamped).holdsOriginal)
        #expect(!row(Receipt(state: .done, path: "/none/A.JPG", verified: .reread, at: 1)).holdsOriginal)
    }
}
