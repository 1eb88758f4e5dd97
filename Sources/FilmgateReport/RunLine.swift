package import FilmgateCore
package import FilmgateLedger

/// A run as the JSON object `run`.
package enum RunLine {
    /// `holder`: who holds the state now; an unfinished run of theirs goes on.
    package static func object(_ run: RunRow, _ holder: StateHolder?) -> JSONWriter {
        var object = JSONWriter()
        object.add("type", "run")
        object.add("run", Int(run.id))
        object.add("verb", run.verb)
        object.add("event", run.event)
        object.add("started", CivilTime(unixSeconds: run.started / 1_000_000_000)?.description)
        object.add("ended", run.ended.flatMap { CivilTime(unixSeconds: $0 / 1_000_000_000)?.description })
        object.add("exit", run.exit)
        object.add("running", isUnderWay(run, holder))
        if let summary = run.summary {
            object.add("seen", summary.seen)
            for ending in Ending.allCases { object.add(ending.rawValue, summary[ending]) }
            object.add("bytes", summary.bytes)
        }
        return object
    }

    package static func isUnderWay(_ run: RunRow, _ holder: StateHolder?) -> Bool {
        run.ended == nil && holder.map { run.started >= $0.since } ?? false
    }
}
