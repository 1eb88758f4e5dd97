import FilmgateCore
import FilmgateLedger
import FilmgateReport

/// What `events list` knows without asking a gallery.
struct StudioEvents: Sendable {
    let state: String

    func all() async throws(IngestError) -> [EventLine] {
        let chosen = ChosenEvent(state: state).chosen
        let runs = try await SQLiteLedger.reader(directory: state).runs(limit: 10_000)
        let counts = runs.compactMap(\.event).reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        var lines: [EventLine] = [], told: Set<String> = []
        for list in EventCache(state: state).all() {
            for item in list.events {
                let label = list.label(item)
                guard told.insert(label).inserted else { continue }
                var line = EventLine(name: label, chosen: label == chosen, runs: counts[label] ?? 0)
                (line.id, line.date, line.note, line.fetched) = (item.id, item.date, item.note, list.fetched)
                lines.append(line)
            }
        }
        for event in ([chosen].compactMap { $0 } + counts.keys.sorted()) where told.insert(event).inserted {
            lines.append(EventLine(name: event, chosen: event == chosen, runs: counts[event] ?? 0))
        }
        return lines
    }
}

/// The object of `status --watch --json`, for whoever asks; asked by many it is read twice a second.
actor StudioStatus {
    private var reader: StatusReader
    private var last: (snapshot: StatusSnapshot, at: ContinuousClock.Instant)?

    init(state: String) {
        reader = StatusReader { () throws(IngestError) in
            try SQLiteLedger.reader(directory: state)
        } live: {
            LiveQuestion.ask(state: state)
        }
        reader.holder = { StateHolder(directory: state) }
        reader.isBrief = true
    }

    /// `counts`: how files have ended, where the page has counted them itself.
    func line(_ counts: FrameCounts?) async throws(IngestError) -> String {
        var snapshot = try await recent()
        if let counts { (snapshot.endings, snapshot.unfinished) = (counts.endings, counts.unfinished) }
        return StatusLine.json(snapshot)
    }

    private func recent() async throws(IngestError) -> StatusSnapshot {
        let now = ContinuousClock.now
        if let last, now - last.at < .milliseconds(500) { return last.snapshot }
        let snapshot = try await read()
        last = (snapshot, now)
        return snapshot
    }

    private func read() async throws(IngestError) -> StatusSnapshot {
        // Others may ask meanwhile: each reads with what was known when it began.
        var own = reader
        let snapshot = try await own.read()
        reader = own
        return snapshot
    }
}
