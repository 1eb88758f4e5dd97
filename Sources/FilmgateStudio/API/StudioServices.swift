package import FilmgateCore
package import FilmgateLedger
package import FilmgateReport

/// What the page asks of the program around it, which answers as its commands do.
public struct StudioServices: Sendable {
    package typealias Failure = IngestError
    /// What `events list` knows without asking a gallery.
    package var events: @Sendable () async throws(Failure) -> [EventLine]
    /// The object of `status --watch --json`.
    ///
    /// `counts`: how files have ended, where that is known already.
    package var status: @Sendable (_ counts: FrameCounts?) async throws(Failure) -> String

    /// Follows whatever run there is, and calls back with what it tells; what it returns ends that.
    package var watch: @Sendable (_ hear: @escaping @Sendable (RunSignal) -> Void) -> @Sendable () -> Void = { _ in {} }

    /// What the run that goes on has listed and not read yet; nil where none tells that.
    package var upcoming: @Sendable () async -> UpcomingList? = { nil }
    /// The camera's own picture of one of those.
    package var upcomingPicture: @Sendable (AssetID) async -> UpcomingPicture = { _ in .missing }

    /// Writes down what somebody says of pictures, as `mark` does.
    package var mark: @Sendable (MarkOrder) async throws(Failure) -> MarkOutcome = { _ async throws(IngestError) in
        throw IngestError(.unavailable, "Nothing can be marked here.")
    }

    /// Cards that are mounted now.
    package var mounted: @Sendable () async throws(Failure) -> [MountedCard] = { () async throws(Failure) in [] }
    /// Whether that pipeline, or where there is none one that was used here, names a catalogue; asks no catalogue.
    package var namesCatalog: @Sendable (_ pipeline: String?) async -> Bool = { _ in false }
    /// The text of a pipeline file, with dots for what may be a secret that somebody wrote into it.
    package var shown: @Sendable (_ pipeline: String) -> String = { _ in "" }
    /// A QR code of a text, row by row, `1` for dark; empty where it does not fit.
    package var qr: @Sendable (_ text: String) -> [String] = { _ in [] }
    /// Called once when the list of files was read: nothing of the beginning is needed any more.
    package var settled: @Sendable () -> Void = {}
    /// This program, whose commands the page asks for.
    package var program = ""

    package init(
        events: @escaping @Sendable () async throws(Failure) -> [EventLine],
        status: @escaping @Sendable (_ counts: FrameCounts?) async throws(Failure) -> String
    ) { (self.events, self.status) = (events, status) }
}
