import FilmgateCore

/// A target that is not known well enough to send it anything: what waits for it goes on waiting, for the reason given.
struct HeldTarget: UploadTarget {
    let traits: TargetTraits
    private let trouble: IngestError

    init(_ target: any UploadTarget, _ trouble: IngestError) {
        traits = target.traits
        // A code that holds the target, whatever it was that kept it from being known.
        self.trouble = IngestError(
            trouble.code == .unauthorized ? .unauthorized : .untrusted, trouble.message, advice: trouble.advice,
            cause: trouble)
    }

    var reason: String { trouble.description }

    func check() async throws(IngestError) { throw trouble }

    func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy { throw trouble }

    func find(_ job: UploadJob) async throws(IngestError) -> Receipt? { throw trouble }

    func knows(_ job: UploadJob) async throws(IngestError) -> Bool? { throw trouble }

    func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { throw trouble }

    func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        throw trouble
    }
}
