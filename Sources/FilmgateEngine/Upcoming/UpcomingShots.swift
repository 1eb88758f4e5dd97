import FilmgateCore
import Synchronization

/// What one place has listed and its run has not read yet, in the order in which it is read.
///
/// The listing itself is where it was; what is kept here are the few shots that have come since, or are being read.
final class UpcomingShots: Sendable {
    private struct State { var begun: [ShotWork] = [], arrived: [ShotWork] = [] }
    /// A burst of more waits unseen.
    private static let mostArrived = 500
    let session: any PreviewingSession
    private let feed: ShotFeed, gate: PauseGate?, state = Mutex(State())

    init(_ session: any PreviewingSession, _ feed: ShotFeed, gate: PauseGate?) {
        (self.session, self.feed, self.gate) = (session, feed, gate)
    }

    /// A camera is left alone then.
    var isPaused: Bool { gate?.isShut ?? false }

    /// It stands in line.
    func arrived(_ work: ShotWork) {
        state.withLock { if $0.arrived.count < Self.mostArrived { $0.arrived.append(work) } }
    }

    /// It is its turn.
    func began(_ work: ShotWork) {
        state.withLock { state in
            if let place = state.arrived.firstIndex(where: { $0.key == work.key }) { state.arrived.remove(at: place) }
            state.begun.append(work)
        }
    }

    /// It is read, or left.
    func ended(_ work: ShotWork) {
        state.withLock { state in
            if let place = state.begun.firstIndex(where: { $0.key == work.key }) { state.begun.remove(at: place) }
        }
    }

    /// The next `limit` frames, and how many there are.
    func first(_ limit: Int) -> (frames: [UpcomingFrames.Frame], total: Int) {
        let (begun, arrived) = state.withLock { ($0.begun, $0.arrived) }
        let listed = feed.ahead(max(0, limit - begun.count)), later = arrived.compactMap { frame($0) }
        let near = begun.compactMap { frame($0, isBegun: true) }
        let frames = near + listed.works.compactMap { frame($0) } + later
        return (Array(frames.prefix(limit)), near.count + listed.count + later.count)
    }

    /// Of a shot the picture that the others hang on; nil where that is read already.
    private func frame(_ work: ShotWork, isBegun: Bool = false) -> UpcomingFrames.Frame? {
        work.members.first { !$0.settled && !$0.entry.kind.follows }.map { member in
            UpcomingFrames.Frame(
                origin: member.entry.origin, kind: member.entry.kind, source: session.place.label,
                isBegun: isBegun)
        }
    }
}
