import FilmgateCore
import FilmgateLedger
import PreviewKit
import Synchronization

/// What the page needs to show pictures.
struct Pictures: Sendable {
    /// Nil where none are shown.
    var maker: PreviewMaker?
    let listed = ListedFrames(), activity = RunActivity()
}

/// Files that were listed lately: whoever shows a list asks for their pictures next, and looking each up among all files takes too long.
final class ListedFrames: Sendable {
    private let entries = Mutex<[UInt64: FrameEntry]>([:])
    private static let most = 16_384

    func add(_ numbered: [(number: UInt64, entry: FrameEntry)]) {
        entries.withLock { entries in
            if entries.count + numbered.count > Self.most { entries = [:] }
            for (number, entry) in numbered { entries[number] = entry }
        }
    }

    subscript(_ number: UInt64) -> FrameEntry? { entries.withLock { $0[number] } }
}

/// Whether a run takes or sends just now.
final class RunActivity: Sendable {
    private let latest = Atomic<Int64>(0)
    /// A run that tells nothing for so many nanoseconds has nothing to do.
    private static let quiet: Int64 = 3_000_000_000

    func note(_ signal: RunSignal) { if case .change(_, _, let at) = signal { latest.store(at, ordering: .relaxed) } }

    var isBusy: Bool { WallClock.nanoseconds - latest.load(ordering: .relaxed) < Self.quiet }
}
