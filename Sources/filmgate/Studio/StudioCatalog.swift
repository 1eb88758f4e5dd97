import FileKit
import FilmgateCore
import FilmgateEngine

/// Whether there is a catalogue whose stations the page can show, as `catalog status` finds it; asks none.
actor StudioCatalog {
    private let state: String, loader: PipelineLoader
    private let pool = BlockingPool(width: 1)
    /// What was found, and in which files as they were then.
    private var known: (files: [File], isNamed: Bool)?

    private struct File: Sendable, Equatable { var path: String, facts: FileFacts? }

    init(state: String, _ loader: PipelineLoader) { (self.state, self.loader) = (state, loader) }

    /// `pipeline`: the page's own; nil looks at those that were used with this state.
    ///
    /// Files are read again when they changed.
    func isNamed(in pipeline: String?) async -> Bool {
        let paths = pipeline.map { [$0] } ?? PipelineSnapshot(state: state).files()
        let files = paths.map { File(path: $0, facts: try? FileFacts.of($0)) }
        if let known, known.files == files { return known.isNamed }
        let isNamed = try? await pool.run { [loader] () throws(IngestError) in
            paths.contains { loader.load(path: $0).pipeline?.catalog != nil }
        }
        guard let isNamed else { return false }
        known = (files, isNamed)
        return isNamed
    }
}
