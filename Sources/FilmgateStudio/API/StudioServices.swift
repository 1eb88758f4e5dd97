package import FilmgateCore
package import FilmgateReport

/// What the page asks of the program around it, which answers as its commands do.
public struct StudioServices: Sendable {
    package typealias Failure = IngestError
    /// What `events list` knows without asking a gallery.
    package var events: @Sendable () async throws(Failure) -> [EventLine]
    /// The object of `status --watch --json`.
    package var status: @Sendable () async throws(Failure) -> String

    package init(
        events: @escaping @Sendable () async throws(Failure) -> [EventLine],
        status: @escaping @Sendable () async throws(Failure) -> String
    ) { (self.events, self.status) = (events, status) }
}
