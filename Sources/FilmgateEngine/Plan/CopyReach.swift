import FileKit
import FilmgateCore

/// Whether the targets of a pipeline can hold a file on as many places as its `copies` asks for: else no card is ever
/// safe to format.
enum CopyReach {
    /// Counts by the rule of ``CardProof``.
    ///
    /// A target that turns out to prove nothing still counts: only the proof itself can tell.
    static func warning(_ pipeline: PipelineFile, _ targets: [(name: String, target: any UploadTarget)]) -> Diagnostic?
    {
        guard pipeline.copies > 1 else { return nil }
        let named = pipeline.deliverTo + pipeline.profiles.profiles.flatMap { $0.delivering.map(\.target) }
        let media = try? Media.current()
        var places = CopyPlaces()
        for (name, target) in targets where named.contains(name) {
            let root = target.traits.localRoot
            places.add(path: root, mark: root.flatMap(SharedFolderFile.read), media)
        }
        guard places.count > 0, places.count < pipeline.copies else { return nil }
        return .warning(
            pipeline.copiesMark, "too-few-places",
            "`copies: \(pipeline.copies)` cannot be reached: with the targets of this file a picture is \(places).",
            hint: "Add a folder on another device, or a target elsewhere; folders on one device count once. "
                + "Where a disk is only not mounted now, nothing has to be changed.")
    }
}

extension PlanBuilder {
    /// What only the built modules can tell of a pipeline file, and what is no mistake: copies that its targets cannot
    /// make, and what a target warns of (`TargetTraits.warnings`).
    ///
    /// Nothing is said of targets that refuse their options. Touches no network, no device and no secret.
    public func warnings(in pipeline: PipelineFile) -> [Diagnostic] {
        var lookup = Lookup(secrets: secrets, ledger: ledger)
        lookup.services = services
        var places: [String: CredentialPlaces] = [:]
        guard let targets = try? targets(pipeline, &lookup, &places) else { return [] }
        let told = targets.flatMap { name, target in
            target.traits.warnings.map { warning in
                Diagnostic.warning(pipeline.target(name)?.mark ?? Mark(), "target-risk", "`\(name)`: \(warning)")
            }
        }
        return [CopyReach.warning(pipeline, targets)].compactMap { $0 } + told
    }
}
