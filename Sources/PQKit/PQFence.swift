public import FilmgateCore
import Synchronization

/// The newest history of a server that was met: over no connection that shares it an older one is used.
public final class PQFence: Sendable {
    private let newest: Mutex<ServerHistory?>

    /// `known`: what an earlier run has met.
    public init(_ known: ServerHistory? = nil) { newest = Mutex(known) }

    /// Notes it; `unavailable` for an old primary that came back, which must not be used.
    public func admit(_ history: ServerHistory, at place: String) throws(IngestError) {
        let newer = newest.withLock { newest -> ServerHistory? in
            if let newest, history.isBehind(newest) { return newest }
            newest = ServerHistory(cluster: history.cluster ?? newest?.cluster, timeline: history.timeline)
            return nil
        }
        guard let newer else { return }
        throw IngestError(
            .unavailable,
            "\(place) is an old primary (timeline \(history.timeline), we have seen \(newer.timeline)): not used.",
            advice: "Stop it, or rebuild it as a standby.")
    }

    func isAhead(of history: ServerHistory) -> Bool { newest.withLock { $0.map(history.isBehind) ?? false } }
}

/// How a server is asked for its history.
public enum PQHistory {
    /// For the end of a SELECT, where `read` finds them: the name of its log, whose first 8 digits are the timeline, and
    /// its cluster's number.
    ///
    /// `known`: what it said before, so that it is not asked for more than it tells.
    public static func columns(_ known: ServerHistory?) -> String {
        guard let known else { return "NULL::text, NULL::int8" }
        return known.cluster == nil ? log + ", NULL::int8" : both
    }

    private static let log = "pg_walfile_name(pg_current_wal_lsn())"
    private static let both = log + ", (SELECT system_identifier FROM pg_control_system())"
    /// What is asked of a server of which nothing is known: of some only a part is told.
    static let questions = [both, log + ", NULL::int8"]

    /// Nil where it does not say.
    public static func read(_ row: borrowing PQRow, from column: Int) throws(IngestError) -> ServerHistory? {
        guard let timeline = try row.textOrNil(column).flatMap({ Int64($0.prefix(8), radix: 16) }) else { return nil }
        return ServerHistory(cluster: try row.intOrNil(column + 1), timeline: timeline)
    }
}
