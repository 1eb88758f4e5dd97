import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import FilmgateReport
import Synchronization

/// What of a run's events those who watch are told: whole values by key, in the words of `--json`.
///
/// Events come after the ledger has what they are about, so the time when a change is written down is that of the
/// commit, or a moment later.
struct RunChanges: Sendable {
    let feed: ChangeFeed, liveStatus: LiveStatus
    /// What is still to be read, for those who ask.
    var upcoming = UpcomingFrames()
    private let readings = Readings()

    /// To be called after `liveStatus` was told.
    @Sendable func note(_ runEvent: RunEvent) {
        switch runEvent {
        case .settled(let settled), .companion(let settled):
            feed.add("asset " + settled.asset.id.rawValue) { ItemLine.text(settled) }
        case .queue(let target, _, _), .held(let target, _), .released(let target), .retrying(let target, _, _, _),
            .delivered(let target, _, _):
            feed.add("target " + target, now: { [liveStatus] in liveStatus.now.queueObject(target)?.finished })
        case .source(let place, _), .device(let place, _):
            let name = LiveStatus.name(place)
            feed.add("source " + name, now: { [liveStatus] in liveStatus.now.sourceObject(name).finished })
        case .started, .read:
            if feed.isWanted, readings.isDue(at: WallClock.nanoseconds) { feed.add("reading", Self.reading) }
        case .listed, .trouble, .waiting, .refused, .takenElsewhere: break
        }
    }

    /// That something is read just now, for who stands back meanwhile: one long clip takes minutes.
    private static func reading() -> String? { #"{"type":"reading"}"# }

    /// When it was told last that something is read.
    private final class Readings: Sendable {
        private let told = Atomic<Int64>(0)
        /// Nanoseconds: parts of files come by the thousand.
        private static let pause: Int64 = 1_000_000_000

        /// True once in a while.
        func isDue(at now: Int64) -> Bool {
            let last = told.load(ordering: .relaxed)
            // Also when the clock was set back.
            guard now - last >= Self.pause || now < last else { return false }
            return told.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        }
    }

    /// From now on it is told, too, which files each commit writes down: whoever keeps a list of them need not read the
    /// ledger for it.
    func follow(_ ledger: SQLiteLedger) { ledger.follow(while: { feed.isWanted }, feed.add) }

    /// Somebody marked pictures: what of them is shown has to be read anew.
    func noteMarks() { feed.add("marks") { #"{"type":"marks"}"# } }

    /// The run was paused, or goes on, or has another event.
    func noteRun() {
        feed.add("run") {
            let now = liveStatus.now
            var object = JSONWriter()
            object.add("type", "run")
            object.add("event", now.event)
            object.add("paused", now.isPaused)
            object.add("since", CivilTime(unixSeconds: now.since / 1_000_000_000)?.description)
            return object.finished
        }
    }
}
