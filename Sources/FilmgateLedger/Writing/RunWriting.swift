import FilmgateCore

extension ChangeWriter {
    func beginRun(verb: String, event: String?, at: Int64) throws -> Int64 {
        var query = try query(.beginRun)
        query.bind(verb)
        query.bind(event)
        query.bind(at)
        try query.execute()
        return statements.lastID
    }

    func end(_ run: Int64, at: Int64, exit: Int, _ summary: RunSummary) throws {
        var query = try query(.endRun)
        query.bind(at)
        query.bind(exit)
        query.bind(summary.bytes)
        query.bind(summary.bytesRead)
        query.bind(summary.seconds.isFinite ? summary.seconds : 0)
        for (ending, _) in RunRow.endings { query.bind(summary.counts[ending]) }
        query.bind(run)
        try query.execute()
    }

    func write(_ note: String, at: Int64, of asset: AssetID?) throws {
        var query = try query(.addNote)
        query.bind(at)
        query.bind(asset?.rawValue)
        query.bind(note)
        try query.execute()
    }
}
