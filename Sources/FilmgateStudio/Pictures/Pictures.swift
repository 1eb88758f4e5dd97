import FilmgateCore
import FilmgateLedger
import PreviewKit
import Synchronization

/// What the page needs to show pictures.
struct Pictures: Sendable {
    /// Nil where none are shown.
    var maker: PreviewMaker?
    let activity = RunActivity(), places = LargePictures(), upcoming = UpcomingView()
}

/// Whether a run takes or sends just now.
final class RunActivity: Sendable {
    private struct State {
        var latest: Int64 = 0
        /// What is told of the targets that are sent something, by which one is told from others.
        var sending: Set<String> = []
    }
    private let state = Mutex(State())
    /// A run that tells nothing for so many nanoseconds, and sends nothing, has nothing to do.
    private static let quiet: Int64 = 3_000_000_000

    func note(_ signal: RunSignal) {
        switch signal {
        case .change(let key, let value, let at):
            let sends = key.hasPrefix("target ") ? (JSONValue(Array(value.utf8))?["sending"]?.whole ?? 0) > 0 : nil
            state.withLock { state in
                state.latest = at
                if let sends { if sends { state.sending.insert(key) } else { state.sending.remove(key) } }
            }
        // What was told of a target may not be so any more.
        case .here, .gap, .gone: state.withLock { $0.sending = [] }
        }
    }

    /// It tells of nothing that anybody could look at: only that a run has to do.
    static func isAll(of signal: RunSignal) -> Bool {
        if case .change(key: "reading", value: _, at: _) = signal { true } else { false }
    }

    /// A long clip is sent for minutes without another word.
    var isBusy: Bool {
        state.withLock { !$0.sending.isEmpty || WallClock.nanoseconds - $0.latest < Self.quiet }
    }
}
