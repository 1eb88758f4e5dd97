import FileKit
import FilmgateCore
import Synchronization

/// What plans knew of the targets that stations share, kept in the state directory.
///
/// A run tells also what earlier ones delivered: with another pipeline, which has targets that this one has not, or to
/// a shared folder whose disk is away now. Nothing is claimed by this. Everything here blocks briefly.
public struct KeptSharedTargets: Sendable {
    private let folder: String
    private var path: String { "\(folder)/shared-targets" }
    private static let most = 1 << 20
    /// Runs and jobs of one process keep what they know at the same time.
    private static let writing = Mutex(())

    /// In the state directory `state`, beside the pipelines that were used.
    public init(state: String) { folder = state + "/pipelines" }

    /// None where nothing was kept, or nothing can be read.
    func read() -> SharedTargets {
        let found = Result { () throws(IngestError) in try FileSystem.contents(of: path, limit: Self.most) }
        guard case .success(let bytes?) = found else { return SharedTargets() }
        return SharedTargets(lines: String(decoding: bytes, as: UTF8.self))
    }

    /// Keeps what a plan says.
    ///
    /// Where that cannot be written, what the plan says is forgotten with its run.
    public func note(_ shared: SharedTargets) { Self.writing.withLock { _ in renew(by: shared) } }

    private func renew(by shared: SharedTargets) {
        let old = read()
        var new = old
        new.renew(by: shared)
        guard new.lines != old.lines else { return }
        _ = Result { () throws(IngestError) in
            try DurableFile.makeDirectories(folder, mode: 0o700)
            try DurableFile.atomicWrite(Array(new.lines.utf8).span.bytes, to: path, mode: 0o600)
        }
    }
}
