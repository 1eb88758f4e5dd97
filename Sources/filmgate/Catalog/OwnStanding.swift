import FilmgateCore
import FilmgateLedger

/// How this station stands: what its ledger says, and what a run that goes on says of the catalogue.
struct OwnStanding {
    let place: StationPlace
    /// Deliveries that wait because the catalogue cannot be asked.
    let held: Int
    /// Nil where no run tells the catalogue anything now.
    let run: CatalogUptime?

    /// Nil where this state directory has joined no catalogue; asks no catalogue.
    static func read(_ reader: SQLiteReader?, _ context: CommandContext) async throws(IngestError) -> OwnStanding? {
        guard let reader, let place = try await reader.station() else { return nil }
        let live = context.invocation.job?.services.liveStatus.now ?? LiveQuestion.ask(state: context.state)
        return OwnStanding(place: place, held: try await reader.heldForCatalog(), run: live?.catalog)
    }

    /// Of `catalog`, in a sentence for people.
    func text(_ catalog: String) -> String {
        var parts = ["\(place.membership.name) of \(catalog): \(place.told)"]
        if held > 0 { parts.append("\(Describe.count(held, "delivery", "deliveries")) held for it") }
        if let run, run.isUp == false {
            let since = CatalogUptime.time(run.since).map { " since \($0)" } ?? ""
            parts.append("away\(since)\(run.trouble.map { " (\(RunTelling.inner($0)))" } ?? "")")
        }
        return parts.joined(separator: ", ")
    }
}
