/// A session that tells what appears while it is open.
///
/// This and the other protocols here are what some sources can do. Whoever needs one asks `session as? any …`; a
/// session is therefore never wrapped in another one, which would have to pass on each of them.
public protocol WatchingSession: SourceSession {
    /// What appears from now on, for as long as the session is open. Called at most once, after `entries`.
    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews>
}

/// A watched session into whose place others write their files: each is told once it is whole.
public protocol ReceivingSession: WatchingSession {
    /// What `entries` left out, and `arrivals` did not tell by now, because it is not whole yet, with what is missing,
    /// in a sentence.
    ///
    /// Asked once, when the run ends: nothing is listened for any more then.
    func unfinished() async -> [(entry: SourceEntry, reason: String)]
}

/// A session whose listing may lack a part of the source.
public protocol PartialListingSession: SourceSession {
    /// What `entries` could not show because a part of the source did not let itself be listed; asked after it. The run
    /// goes on with what was listed, and tells this. Nil where the listing was whole.
    func unlisted() async -> IngestError?
}

/// A session that can read a small part of an object by itself: a transfer that was cut off in an earlier run goes on
/// where it was.
public protocol RangeReadingSession: SourceSession {
    /// The bytes of a small range of an object, as proof that it still is the one whose beginning came before a crash;
    /// nil where this one can only be read whole, or where it has fewer.
    func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]?
}

/// A session that looks what became of a file that could not be read.
public protocol DiagnosingSession: SourceSession {
    /// What becomes of a file that could not be read as it was listed; nil = set aside. Throws when the whole source is
    /// gone.
    func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate?
}

/// A session that does something as soon as a target has one of its files, such as telling whoever sent it.
public protocol ConfirmingSession: SourceSession {
    /// A target has the bytes of one of its assets, and the ledger knows; others may still wait for it. Not told where
    /// another asset with the same bytes was sent in its place: then only its ending is told
    /// (``ResultHandlingSession``). Called on any thread; must be quick.
    nonisolated func delivered(_ origin: Origin, to target: String)
}

/// A session that does something with its files once they have ended: removes them, or has the camera let go of them.
public protocol ResultHandlingSession: SourceSession {
    /// One of its assets reached its ending, and the ledger knows; in a dry run this is never told. Called on any
    /// thread; must be quick.
    nonisolated func settled(_ settled: AssetResult)
}

/// A session whose work on files that have ended takes its time, and is waited for.
public protocol ConcludingSession: ResultHandlingSession {
    /// Returns once what was begun for settled assets is done; asked before a run ends, also after `close`.
    func concluded() async
}

/// A session with a device that answers questions, and may fall silent.
public protocol AnsweringSession: SourceSession {
    /// From now on, who is asked for something and is silent for that long is given up: what is under way then fails
    /// with `deviceGone`.
    ///
    /// Called on any thread, also again with less; zero = at once.
    nonisolated func expectAnswers(within patience: Duration)
    /// What the device is waited for with, and since when it has said nothing; nil while it answers, and while nobody
    /// asks it anything.
    ///
    /// Called on any thread.
    nonisolated var unanswered: DeviceSilence? { get }
}

/// A session that knows how its camera or source fares.
public protocol ConditionReportingSession: SourceSession {
    /// How it fares now.
    ///
    /// Asked about once a minute, between transfers, or every two seconds where that is quick.
    func condition() async -> DeviceCondition
}

/// Somebody waits for a device that says nothing.
public struct DeviceSilence: Sendable, Hashable {
    public var since: ContinuousClock.Instant
    /// The file that is being read; nil for anything else.
    public var file: String?

    public init(since: ContinuousClock.Instant, file: String? = nil) { (self.since, self.file) = (since, file) }
}

/// What an open source tells while it is watched.
public enum SourceNews: Sendable {
    /// Something new, whole, and not told about before.
    case arrived(SourceEntry)
    /// Out of reach. The session goes on trying to come back; what appeared meanwhile arrives then.
    case lost(IngestError)
    case back
    /// Its condition has changed: it is asked for at once.
    case changed
    /// Somebody was turned away, in one word: `password`, `path`, `tls`, `elsewhere`.
    case refused(String)
    /// The place has given all that it had, and nothing more comes to it: it is left, and comes back as a new one.
    case over
}
