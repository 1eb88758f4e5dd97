import FileKit
import FilmgateCore
import Synchronization

/// The latest frames of an open source that a stage let end as filtered: a sidecar that comes later may rate them.
final class RefusedFrames: Sendable {
    private struct State {
        var frames: [String: [SourceEntry]] = [:], order: [String] = []
    }
    /// Shots; of the others the next run asks again.
    private static let most = 4096
    private let state = Mutex(State())

    func note(_ asset: Asset) {
        let entry = SourceEntry(origin: asset.origin, kind: asset.kind, shot: asset.shot), key = asset.shot.key
        state.withLock { state in
            if state.frames[key] == nil { state.order.append(key) }
            state.frames[key, default: []].removeAll { $0.origin.path == entry.origin.path }
            state.frames[key, default: []].append(entry)
            if state.order.count > Self.most { state.frames[state.order.removeFirst()] = nil }
        }
    }

    /// What is to be judged once more because of the sidecars that `work` brought, which have been read; each frame is
    /// given out once, so that nothing goes round.
    ///
    /// Nil where it brought none, and where no refused frame lies in the source any more as it was.
    func again(after work: ShotWork, _ read: [Passed], in session: any SourceSession) -> ShotWork? {
        let sidecars = read.map(\.asset).filter { $0.kind == .sidecar && !$0.flags.contains(AssetFlag.made) }
        guard session.keepsRefused, !sidecars.isEmpty else { return nil }
        let here = Set(work.members.map(\.entry.origin.id))
        let frames = take(work.key, without: here).filter { Self.isThere($0.origin, session) }.sorted {
            $0.kind.rank < $1.kind.rank
        }
        return frames.isEmpty ? nil : ShotWork(frames, beside: sidecars)
    }

    /// Those that came with the sidecar have been judged by it.
    private func take(_ key: String, without here: Set<AssetID>) -> [SourceEntry] {
        state.withLock { state in
            guard let frames = state.frames[key] else { return [] }
            let judged = frames.filter { here.contains($0.origin.id) }
            state.frames[key] = judged.isEmpty ? nil : judged
            if judged.isEmpty { state.order.removeAll { $0 == key } }
            return frames.filter { !here.contains($0.origin.id) }
        }
    }

    private static func isThere(_ origin: Origin, _ session: any SourceSession) -> Bool {
        guard let path = session.localPath(origin), let facts = try? FileFacts.of(path) else { return false }
        return facts.size == origin.size && facts.modified == origin.modified
    }
}
