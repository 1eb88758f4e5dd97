public import FilmgateCore
import Synchronization

/// The frames that a run has listed and not read yet, of sources that can show them before.
///
/// Whoever looks on asks for the next few; a run that nobody looks at does nothing for it.
public final class UpcomingFrames: Sendable {
    public struct Frame: Sendable {
        public var origin: Origin, kind: MediaKind
        /// What a person would call the camera.
        public var source: String
        /// It is being read, or about to be.
        public var isBegun: Bool
    }
    /// How many are told: as many as stand side by side on a screen.
    public static let most = 16
    /// Bytes of a small picture.
    public static let mostBytes = 256 << 10
    private let places = Mutex<[UpcomingShots]>([])

    public init() {}

    /// Nil where the source has no pictures of what is still to be read.
    func begin(_ session: any SourceSession, _ feed: ShotFeed?, gate: PauseGate? = nil) -> UpcomingShots? {
        guard let session = session as? any PreviewingSession, let feed else { return nil }
        let shots = UpcomingShots(session, feed, gate: gate)
        places.withLock { $0.append(shots) }
        return shots
    }

    func end(_ shots: UpcomingShots) { places.withLock { $0.removeAll { $0 === shots } } }

    /// The next ones, and how many there are in all.
    public var next: (frames: [Frame], total: Int) {
        var all: (frames: [Frame], total: Int) = ([], 0)
        for shots in places.withLock(\.self) {
            let (frames, total) = shots.first(Self.most - all.frames.count)
            all.frames += frames
            all.total += total
        }
        return all
    }

    /// The source's own small picture of one of the next frames; nil where it has none, or the frame is none of them
    /// any more.
    ///
    /// `unavailable` where it is not to be had just now: bytes of files come first. What is being read is not asked
    /// for: it is there sooner than a picture of it.
    public func preview(of asset: AssetID) async throws(IngestError) -> [UInt8]? {
        for shots in places.withLock(\.self) {
            guard let frame = shots.first(Self.most).frames.first(where: { $0.origin.id == asset }) else { continue }
            if frame.isBegun { return nil }
            if shots.isPaused { throw IngestError(.unavailable, "The run is paused.") }
            return try await shots.session.preview(of: frame.origin, upTo: Self.mostBytes)
        }
        return nil
    }
}
