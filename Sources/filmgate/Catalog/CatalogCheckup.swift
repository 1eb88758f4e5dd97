import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// What `doctor` says of the catalogue: of the pipeline's, else of the one that this state directory joined.
struct CatalogCheckup {
    let context: CommandContext

    /// One finding; nothing where neither names a catalogue.
    func run(_ named: PipelineFile?, _ report: inout DoctorReport) async {
        let found = await Result { () async throws(IngestError) in try await place() }
        guard case .success(let place) = found else { return }
        let pipeline = named?.catalog == nil ? place.flatMap { _ in used } : named
        guard place != nil || pipeline?.catalog != nil else { return }
        var finding = Finding()
        if let place {
            finding.facts.append("\(place.membership.name): \(place.told)")
        } else {
            finding.problems.append("This state directory has not joined: `filmgate catalog join`.")
        }
        if let pipeline {
            await look(at: pipeline, place?.membership, &finding)
        } else {
            finding.problems.append("No pipeline that was used here names the catalogue: use --pipeline.")
        }
        report.note(finding.problems.isEmpty, "catalog", finding.text, finding.text)
    }

    private func place() async throws(IngestError) -> StationPlace? {
        try await reader()?.station()
    }

    private func reader() throws(IngestError) -> SQLiteReader? {
        try SQLiteLedger.reader(directory: context.state) as? SQLiteReader
    }

    /// The first of the pipelines used here that names a catalogue.
    private var used: PipelineFile? {
        PipelineSnapshot(state: context.state).files().lazy
            .compactMap { context.loader().load(path: $0).pipeline }.first { $0.catalog != nil }
    }

    private func look(at pipeline: PipelineFile, _ membership: StationMembership?, _ finding: inout Finding) async {
        let asked = await Result { () async throws(IngestError) -> (String, CatalogProblems)? in
            guard let catalog = try await ChosenCatalog.of(pipeline, context)?.catalog else { return nil }
            let ledger = try reader()
            let found = await Result { () async throws(IngestError) in try await CatalogProblems.ask(catalog, ledger) }
            await catalog.close()
            return (catalog.place, try found.get())
        }
        switch asked {
        case .success(nil): break
        case .success((let place, let problems)?):
            let found = problems.found, history = found.timeline.map { ", history \($0)" } ?? ""
            finding.facts.append("\(place) answers after \(Describe.decimal(found.roundTrip, 1)) ms\(history)")
            finding.problems += problems.all(for: membership)
        case .failure(let error):
            finding.problems.append(error.description)
            if membership != nil, [.unavailable, .network].contains(error.code) {
                finding.problems.append(Self.patience)
            }
        }
    }

    private static let patience =
        "Nothing is lost meanwhile: what happens here is told once it answers; `filmgate catalog check` tries it."

    private struct Finding {
        /// How it stands, and what a person has to do something about, in sentences.
        var facts: [String] = [], problems: [String] = []

        var text: String {
            let stands = facts.joined(separator: "; ")
            if problems.isEmpty { return stands }
            return ((facts.isEmpty ? [] : [stands]) + problems).map(Self.sentence).joined(separator: " ")
        }

        private static func sentence(_ words: String) -> String {
            words.last.map { ".!?".contains($0) } == true ? words : words + "."
        }
    }
}
