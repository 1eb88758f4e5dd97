import FilmgateCore
import HTTPKit

/// What own tries may have left under the names that they were sent to: only a part of our own is finished in its
/// place.
struct OwnTries: Sendable {
    /// Names that a try of this run was sending to when it broke off.
    private let broken = FreeNames(lifetime: .seconds(86_400))
    /// Names that we began to send to when nothing was there; on disk, for the process after this one.
    private let begun: BegunUploads

    /// Files that the server behind a proxy may still be storing.
    private let slow: FreeNames

    /// `state`: the station's state directory.
    ///
    /// `key`: the target's identity. `patience`: for how long a server may go on with a file after its proxy gave up.
    init(state: String, key: String, patience: Duration = .seconds(60)) {
        begun = BegunUploads(state: state, name: "http", key: key)
        slow = FreeNames(lifetime: patience)
    }

    /// A proxy had all of it, and gave up waiting for the server behind it (504, RFC 9110 §15.6.5).
    func gaveUp(_ job: UploadJob) { slow.note(job.path, for: job.digests.sha256) }

    /// `unavailable` while the server may still be storing it: that it has nothing yet says nothing.
    func requireOver(_ job: UploadJob, at place: String) throws(IngestError) {
        guard slow.isNoted(job.path, for: job.digests.sha256) else { return }
        throw IngestError(
            .unavailable,
            "\(place) has not answered in time what became of \(job.name) and may still be storing it: "
                + "it is asked again for a minute before the file is sent anew.",
            cause: AnswerOutstanding(again: .seconds(10)))
    }

    /// Soon `begin` will be called for these, most likely.
    func expect(_ path: String, for sha256: String) { begun.expect(sha256, Percent.encode(path)) }

    /// Nothing stands at the job's name, and it is about to be sent there.
    func begin(_ job: UploadJob) async throws(IngestError) {
        try await begun.note(job.digests.sha256, Percent.encode(job.path))
    }

    /// Whether it was sent to that name before, in this run or in an earlier one.
    func hasBegun(_ job: UploadJob) throws(IngestError) -> Bool {
        try begun.place(of: job.digests.sha256) == Percent.encode(job.path)
    }

    /// The server has it.
    func end(_ job: UploadJob) { begun.end(job.digests.sha256, Percent.encode(job.path)) }

    /// A try broke off.
    func broke(_ job: UploadJob) { broken.note(job.path, for: job.digests.sha256) }

    /// True once after a try of this run that broke off.
    func takeBroken(_ job: UploadJob) -> Bool { broken.take(job.path, for: job.digests.sha256) }
}
