import FilmgateCore

/// `stations --watch`: the catalogue is asked again and again, and what has changed is shown.
struct StationFollowing {
    /// Stations renew their sessions every 15 seconds.
    private static let pause = Duration.seconds(5)

    let json: Bool, console: Console
    let ask: () async throws(IngestError) -> [StationSummary]

    /// Goes on until the program ends or nobody reads any more, or until the catalogue tells this station nothing any
    /// more: then why.
    ///
    /// `first`: what was shown before.
    func follow(_ first: [StationSummary]) async -> IngestError? {
        var known = first, trouble: String?
        while (try? await Task.sleep(for: Self.pause)) != nil {
            let found = await Result { () async throws(IngestError) in try await ask() }
            switch found {
            case .success(let stations):
                guard show(stations, after: known) else { return nil }
                (known, trouble) = (stations, nil)
            case .failure(let error):
                if error.code == .unauthorized { return error }
                if error.message != trouble { console.tell(error, json: json) }
                trouble = error.message
            }
        }
        return nil
    }

    /// On a terminal all of them anew, elsewhere those that have changed; false when nobody reads any more.
    private func show(_ stations: [StationSummary], after known: [StationSummary]) -> Bool {
        if console.stdoutIsTerminal, !json {
            let lines = stations.map(CatalogStatusCommand.text)
            return console.tryOut("\u{1B}[H\u{1B}[2J" + lines.joined(separator: "\n"))
        }
        let names = Set(stations.map(\.name))
        let changed = Self.changed(stations, since: known).map { station in
            json ? CatalogLine.summary(station).finished : CatalogStatusCommand.text(station)
        }
        return (changed + known.filter { !names.contains($0.name) }.map(gone)).allSatisfy(console.tryOut)
    }

    /// A station that is listed no more.
    private func gone(_ station: StationSummary) -> String {
        guard json else { return Describe.name("  \(station.name)  not listed any more") }
        var line = JSONWriter()
        line.add("type", "station")
        line.add("name", station.name)
        line.add("gone", true)
        return line.finished
    }

    /// Those of which anything is new but how long ago they were heard.
    static func changed(_ stations: [StationSummary], since known: [StationSummary]) -> [StationSummary] {
        func lasting(_ station: StationSummary) -> StationSummary {
            var station = station
            station.silence = nil
            return station
        }
        let before = Set(known.map(lasting))
        return stations.filter { !before.contains(lasting($0)) }
    }
}
