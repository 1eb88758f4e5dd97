import FileKit
import FilmgateCore

/// Where bytes are staged: on the first folder target's file system, so that delivering is a rename; else in the state
/// directory.
struct StagingPlan: Sendable {
    let areas: [StagingArea]
    /// What earlier runs had begun to take from cameras.
    let partialFiles: PartialFiles
    let pool: BlockingPool

    /// `needed`: paths of files that the ledger says something waits for, asked for where a process that is gone left
    /// any; they stay whosever they are.
    static func prepare(
        plan: Plan, options: RunOptions, needed: () async throws(IngestError) -> [String]
    ) async throws(IngestError) -> StagingPlan {
        let pool = BlockingPool(width: 4)
        if options.dryRun { return StagingPlan(areas: [], partialFiles: PartialFiles([]), pool: pool) }
        let home = options.state + "/staging"
        let roots = plan.targets.compactMap(\.traits.localRoot)
        // One area per file system, the first folder target's first: when one is full the next is tried.
        var folders: [String] = []
        for root in roots + [home] where !folders.contains(where: { FileSystem.same($0, root) }) {
            folders.append(FileSystem.same(root, home) ? home : StagingArea.directory(below: root))
        }
        let owner = StagingArea.Owner.state(at: options.state)
        let areas = try areas(of: owner, in: folders, passesOver: plan.targets.count > 1)
        let left = areas.filter(\.hasLeftovers)
        var names: Set<String> = []
        if !left.isEmpty {
            names = Set(try await needed().map(StagingArea.name(of:)))
            // One may be on its way now, by the run that this is a job of.
            let kept = names.union(names.map(MarkedRendition.name(beside:)))
            for area in left { area.removeLeftovers(but: kept) }
        }
        return StagingPlan(areas: areas, partialFiles: PartialFiles(areas, but: names), pool: pool)
    }

    /// Without those on disks that have no room for as much as a lock, or, where other targets need not suffer with
    /// that one, that cannot be written to; throws when no disk is left.
    private static func areas(
        of owner: StagingArea.Owner, in folders: [String], passesOver: Bool
    ) throws(IngestError) -> [StagingArea] {
        var areas: [StagingArea] = [], first: IngestError?
        for folder in folders {
            do throws(IngestError) { areas.append(try StagingArea(folder, of: owner)) } catch {
                guard error.code == .storageFull || passesOver && error.code == .unavailable else { throw error }
                first = first ?? error
            }
        }
        if areas.isEmpty, let first { throw first }
        return areas
    }

    /// Removes the staging folders that are empty; what still waits stays.
    func close() { for area in areas { area.removeIfEmpty() } }
}

extension RunOptions {
    /// Where runs of this state that have such targets begin files.
    func stagingFolders(_ targets: [PlannedTarget]) -> [String] {
        StagingArea.directories(state: state, roots: targets.compactMap(\.traits.localRoot))
    }
}
