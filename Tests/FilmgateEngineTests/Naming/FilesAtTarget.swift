import FilmgateCore
import Synchronization

@testable import FilmgateEngine

/// A target that keeps files under names in memory; it can be away, go away in the middle, and be written to by others.
final class FilesAtTarget: Sendable {
    struct State {
        /// By folded path.
        var files: [String: (path: String, content: String)] = [:]
        /// Uploads until it goes away; nil: it stays.
        var left: Int?
        var isDown = false
        /// Names that somebody else takes between the question and the upload.
        var thefts = 0, stolen = 0
        /// Contents that were sent there under a second name, or over other bytes.
        var faults: [String] = []
    }
    let name: String, isFolder: Bool
    let state = Mutex(State())

    init(_ name: String, isFolder: Bool) { (self.name, self.isFolder) = (name, isFolder) }

    /// As the engine sees it for one event.
    func planned(_ event: String?, _ layout: String) -> PlannedTarget {
        let identity = event.map { PlannedTarget.identity(name, for: $0) } ?? name
        let traits = TargetTraits(
            identity: identity, localRoot: isFolder ? "/nowhere/\(name)" : nil, layout: Template(layout), parallel: 1)
        return PlannedTarget(name: name, target: Target(files: self, traits: traits), workers: nil)
    }

    struct Target: UploadTarget {
        let files: FilesAtTarget, traits: TargetTraits
        func check() async throws(IngestError) {}

        func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
            // A full disk still says what stands at a name.
            try files.answer(isReading: files.isFolder) { state throws(IngestError) in
                guard let there = state.files[SafeName.folded(path)] else {
                    if state.thefts > 0 {
                        (state.thefts, state.stolen) = (state.thefts - 1, state.stolen + 1)
                        state.files[SafeName.folded(path)] = (path, "somebody's \(state.stolen)")
                    }
                    return .free
                }
                return there.content == job.digests.sha256 ? .same(Receipt(state: .done, id: path)) : .other
            }
        }

        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            try files.answer { state throws(IngestError) in
                if let left = state.left {
                    if left == 0 { (state.isDown, state.left) = (true, nil) } else { state.left = left - 1 }
                    if left == 0 { throw files.away }
                }
                let key = SafeName.folded(job.path)
                if let there = state.files[key], there.content != job.digests.sha256 {
                    throw IngestError(.nameTaken, "Taken.")
                }
                state.files[key] = (job.path, job.digests.sha256)
                return Receipt(state: .done, id: job.path)
            }
        }
    }

    /// Holds the queue at once, so that no test waits: a server that lets nobody in, a disk that is full.
    private var away: IngestError { IngestError(isFolder ? .storageFull : .unauthorized, "It is away.") }

    private func answer<T: Sendable>(
        isReading: Bool = false, _ body: (inout State) throws(IngestError) -> T
    ) throws(IngestError) -> T {
        let result: Result<T, IngestError> = state.withLock { state in
            if state.isDown, !isReading { return .failure(away) }
            do throws(IngestError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
