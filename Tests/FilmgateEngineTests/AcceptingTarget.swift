import FilmgateCore

/// Takes whatever it is sent, and says no more than that.
struct AcceptingTarget: UploadTarget {
    let traits: TargetTraits
    func check() async throws(IngestError) {}
    func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
}
