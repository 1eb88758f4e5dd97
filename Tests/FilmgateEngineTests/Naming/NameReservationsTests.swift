import FilmgateCore
import FilmgateTesting
import Testing

@testable import FilmgateEngine

/// What a run remembers of names does not grow with the shots that it has settled.
@Suite struct NameReservationsTests {
    private struct Target: UploadTarget {
        var traits = TargetTraits(identity: "t", localRoot: nil, parallel: 1)
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    private func delivery(_ name: String) -> Delivery {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
        let job = UploadJob(
            asset: asset, file: LocalFile(path: "/x", size: 1, ownership: .source), digests: Digests(sha256: name),
            path: name, name: name, values: TemplateValues())
        return Delivery(
            id: Delivery.ID(content: ContentKey(rawValue: name), target: "t"), job: job,
            target: PlannedTarget(name: "t", target: Target(), workers: nil), listeners: [asset.id])
    }

    @Test func namesAreKeptUntilTheLedgerKnowsThem() {
        let reservations = NameReservations(), delivery = delivery("A.JPG")
        reservations.beginPlacing()
        reservations.give("A.JPG", to: delivery.id.content, at: "t", ShotIdentity(delivery.job.asset))
        reservations.beginPlacing()
        #expect(reservations.isPromised(delivery.id.content, at: "t") && !reservations.isConcluded(delivery.id))
        #expect(reservations.holder(of: "a.jpg", at: "t") == delivery.id.content)
    }

    /// A ledger that was asked just before a delivery was written down in it.
    private struct EarlyLedger: LedgerStandIn {
        let end: @Sendable () -> Void
        func files(named stem: String, at target: String) async throws(IngestError) -> [NamedFile] {
            end()
            return []
        }
    }

    /// What becomes final while it is looked for is found all the same: a memo came to lie beside another picture.
    @Test func aNameThatBecomesFinalMeanwhileIsNotOverlooked() async throws {
        let reservations = NameReservations(), delivery = delivery("A.JPG"), memo = self.delivery("B.WAV")
        let picture = ShotIdentity(delivery.job.asset)
        reservations.give("A.JPG", to: delivery.id.content, at: "t", picture, stem: "A")
        let siblings = SiblingNames(
            ledger: EarlyLedger { reservations.release(delivery) }, reservations: reservations)
        let company = try await siblings.company(of: "A", at: "t", for: ShotIdentity(memo.job.asset), but: [])
        #expect(company != .nobody && reservations.holder(of: "a.jpg", at: "t") == nil)
    }

    /// Whoever is choosing names just then may have asked the ledger a moment too early.
    @Test func whatBecomesFinalIsRememberedForTheShotThatIsBeingPlaced() {
        let reservations = NameReservations(), delivery = delivery("A.JPG")
        reservations.give("A.JPG", to: delivery.id.content, at: "t", ShotIdentity(delivery.job.asset))
        reservations.beginPlacing()
        reservations.conclude(delivery.id)
        reservations.release(delivery)
        #expect(reservations.isConcluded(delivery.id) && reservations.isPromised(delivery.id.content, at: "t"))
        reservations.beginPlacing()
        #expect(!reservations.isConcluded(delivery.id) && !reservations.isPromised(delivery.id.content, at: "t"))
    }

    @Test func tenThousandSettledShotsLeaveNothing() {
        let reservations = NameReservations()
        for number in 0..<10_000 {
            let delivery = delivery("IMG_\(number).JPG")
            reservations.beginPlacing()
            reservations.give(delivery.job.path, to: delivery.id.content, at: "t", ShotIdentity(delivery.job.asset))
            reservations.conclude(delivery.id)
            reservations.release(delivery)
        }
        reservations.beginPlacing()
        #expect(reservations.count == 0)
    }
    /// Names are seen by all of one state; what is promised, final or silent for a run is so for that run alone.
    @Test func whatOneRunRemembersIsNotTheOthers() {
        let register = NameRegister(), run = NameReservations(register), delivery = delivery("A.JPG")
        var job: NameReservations? = NameReservations(register)
        job?.give("A.JPG", to: delivery.id.content, at: "t", ShotIdentity(delivery.job.asset))
        job?.answers.note(silent: true, "t")
        job?.conclude(delivery.id)
        #expect(job?.isPromised(delivery.id.content, at: "t") == true)
        #expect(job?.answers.isSilent("t") == true && !run.answers.isSilent("t"))
        #expect(job?.isConcluded(delivery.id) == true && job?.givenBeside == 0)
        #expect(run.holder(of: "a.jpg", at: "t") == delivery.id.content && run.givenBeside == 1)
        #expect(!run.isPromised(delivery.id.content, at: "t") && !run.isConcluded(delivery.id))
        job = nil
        #expect(run.holder(of: "a.jpg", at: "t") == nil && run.givenBeside == 0 && run.count == 0)
    }
}
