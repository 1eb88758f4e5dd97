import FilmgateCore

/// Asks beside the reading of a card whether other stations have taken it, and tells what they say.
///
/// Nothing waits for an answer but the end of the card, and that for no longer than a moment. What they say is their
/// word: every file is read, and every delivery decided, as if nobody had said anything.
struct CardInquiry: Sendable {
    /// No more stations than these are told of.
    private static let mostStations = 5
    private let asking: Task<Void, Never>

    /// Nil where nobody is asked: without a catalogue, in a dry run, and for what is no card.
    init?(_ place: SourcePlace, _ volume: String, _ entries: [SourceEntry], _ run: RunContext) {
        guard let stations = run.options.stations, run.writer != nil, place.source == "card" else { return nil }
        let acceptable = run.plan.acceptable, hub = run.hub
        asking = Task {
            let files = entries.indices.filter {
                entries[$0].fate == .take && acceptable.contains(entries[$0].kind)
            }
            guard let told = await Self.told(files, of: entries, on: volume, stations), !Task.isCancelled else {
                return
            }
            for one in told.prefix(Self.mostStations) { hub.post(.takenElsewhere(place, one, files: files.count)) }
        }
    }

    /// Whoever has met the most of them first; nil where somebody does not answer.
    private static func told(
        _ files: [Int], of entries: [SourceEntry], on volume: String, _ stations: StationClaims
    ) async -> [CardAtStation]? {
        var words: [CardAtStation] = []
        for start in stride(from: 0, to: files.count, by: StationClaims.mostFiles) {
            let batch = files[start...].prefix(StationClaims.mostFiles).map { entries[$0].origin.id }
            guard let told = await stations.card(batch, of: volume) else { return nil }
            words += told
        }
        return CardAtStation.together(words).sorted {
            $0.files != $1.files ? $0.files > $1.files : $0.station < $1.station
        }
    }

    /// Returns once it is over, after a moment at most; at once where the run is being stopped.
    func end(_ stopping: CancelToken) async {
        if stopping.isSet { asking.cancel() }
        let limit = Task { [asking] in
            await stopping.clock.sleep(for: StationClaims.patience)
            asking.cancel()
        }
        await asking.value
        limit.cancel()
    }
}
