import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import PTPKit

/// Whether the cameras of a pipeline answer now; takes nothing from them.
struct CameraProbe {
    let context: CommandContext

    /// Tells it of every camera source, and names the sources that were not tried; the first failure.
    ///
    /// A source that was given addresses at which nobody answers fails; one that only takes what is plugged in does
    /// not.
    func run(_ pipeline: PipelineFile, _ plan: Plan) async -> IngestError? {
        var first: IngestError?, untried: [String] = []
        // A camera has one visitor at a time, and a run that lives may be it.
        let isFree = StateHolder(directory: context.state) == nil
        for (use, driver) in zip(pipeline.sources, plan.sources) {
            guard isFree, driver.traits.backlog != nil else {
                untried.append(use.name)
                continue
            }
            let result = await Result { () async throws(IngestError) in try await driver.places() }
            switch result {
            case .success(let places): say("\(use.name): " + Self.text(places))
            case .failure(let error):
                first = first ?? error
                let told = IngestError(error.code, "\(use.name): \(error.message)", advice: error.advice)
                context.console.tell(told, json: context.options.json)
            }
            await context.connections.clear()
        }
        if !untried.isEmpty { say("sources not tried: " + untried.joined(separator: ", ")) }
        return first
    }

    private static func text(_ places: [SourcePlace]) -> String {
        places.isEmpty
            ? "no camera is there now"
            : places.map(\.label).joined(separator: ", ") + (places.count == 1 ? " answers" : " answer")
    }

    private func say(_ line: String) { if !context.options.json { context.console.out(Describe.name(line)) } }
}
