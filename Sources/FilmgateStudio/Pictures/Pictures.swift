import FilmgateCore
import FilmgateLedger
import PreviewKit
import Synchronization

/// What the page needs to show pictures.
struct Pictures: Sendable {
    /// Nil where none are shown.
    var maker: PreviewMaker?
    let activity = RunActivity(), places = LargePictures()
}

/// Whether a run takes or sends just now.
final class RunActivity: Sendable {
    private let latest = Atomic<Int64>(0)
    /// A run that tells nothing for so many nanoseconds has nothing to do.
    private static let quiet: Int64 = 3_000_000_000

    func note(_ signal: RunSignal) { if case .change(_, _, let at) = signal { latest.store(at, ordering: .relaxed) } }

    var isBusy: Bool { WallClock.nanoseconds - latest.load(ordering: .relaxed) < Self.quiet }
}
