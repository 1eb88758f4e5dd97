import FilmgateCore

extension RunRow {
    /// The column of `run` that counts each ending.
    static let endings: [(ending: Ending, column: String)] = [
        (.setAside, "set_aside"), (.pending, "pending"), (.delivered, "delivered"), (.duplicate, "duplicate"),
        (.alreadySeen, "already_seen"),
        (.filtered, "filtered"),
    ]

    /// What `init` reads, in its order.
    static let columns =
        "id, verb, event, started, ended, exit, bytes, bytes_read, seconds, "
        + endings.map(\.column).joined(separator: ", ")

    init(_ query: inout Query) {
        self.init(
            id: query.int(), verb: query.text(), event: query.textOrNil(), started: query.int(),
            ended: query.intOrNil(), exit: query.intOrNil().map { Int($0) }, summary: nil)
        var summary = RunSummary(bytes: query.size(), bytesRead: query.size(), seconds: query.doubleOrNil() ?? 0)
        for (ending, _) in Self.endings { summary.counts[ending] = query.intOrNil().map { Int($0) } }
        if ended != nil { self.summary = summary }
    }
}
