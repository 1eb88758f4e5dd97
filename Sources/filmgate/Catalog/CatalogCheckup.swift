import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// What `doctor` says of the catalogue: of the pipeline's, else of the one that this state directory joined.
struct CatalogCheckup {
    let context: CommandContext

    /// Nothing where neither names one.
    func run(_ named: PipelineFile?, _ report: inout DoctorReport) async {
        let found = await Result { () async throws(IngestError) in try await place() }
        guard case .success(let place) = found else { return }
        let pipeline = named?.catalog == nil ? place.flatMap { _ in used } : named
        guard place != nil || pipeline?.catalog != nil else { return }
        if let place {
            report.note(true, "catalog", Self.told(place), "")
        } else {
            report.note(false, "catalog", "", Self.notJoined)
        }
        guard let pipeline else {
            return report.note(
                false, "catalog", "", "no pipeline that was used here names the catalogue: use --pipeline.")
        }
        await look(at: pipeline, place?.membership, &report)
    }

    private func place() async throws(IngestError) -> StationPlace? {
        try await (SQLiteLedger.reader(directory: context.options.stateDirectory) as? SQLiteReader)?.station()
    }

    /// The first of the pipelines used here that names a catalogue.
    private var used: PipelineFile? {
        PipelineSnapshot(state: context.options.stateDirectory).files().lazy
            .compactMap { context.loader().load(path: $0).pipeline }.first { $0.catalog != nil }
    }

    private func look(at pipeline: PipelineFile, _ membership: StationMembership?, _ report: inout DoctorReport) async {
        let asked = await Result { () async throws(IngestError) -> (String, CatalogCondition)? in
            guard let catalog = try await ChosenCatalog.of(pipeline, context)?.catalog else { return nil }
            let found = await Result { () async throws(IngestError) in try await catalog.condition() }
            await catalog.close()
            return (catalog.place, try found.get())
        }
        switch asked {
        case .success(nil): break
        case .success((let place, let found)?):
            let history = found.timeline.map { ", history \($0)" } ?? ""
            report.note(
                true, "catalog", "\(place) answers after \(Describe.decimal(found.roundTrip, 1)) ms\(history)", "")
            for problem in CatalogProblems(found: found).all(for: membership) {
                report.note(false, "catalog", "", problem)
            }
        case .failure(let error): report.note(false, "catalog", "", error.description)
        }
    }

    private static func told(_ place: StationPlace) -> String { "\(place.membership.name): \(place.told)" }

    private static let notJoined = "this state directory has not joined: `filmgate catalog join`."
}
