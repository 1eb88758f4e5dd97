import FilmgateCore
import HTTPKit

/// What own tries may have left under the names that they were sent to: only a part of our own is finished in its
/// place.
struct OwnTries: Sendable {
    /// Names that a try of this run was sending to when it broke off.
    private let broken = FreeNames(lifetime: .seconds(86_400))
    /// Names that we began to send to when nothing was there; on disk, for the process after this one.
    private let begun: BegunUploads

    /// `state`: the station's state directory.
    ///
    /// `key`: the target's identity.
    init(state: String, key: String) { begun = BegunUploads(state: state, name: "http", key: key) }

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
