import FileKit
import FilmgateCore

/// Where bytes are staged: on the first folder target's file system, so that delivering is a rename; else in the state directory.
struct StagingPlan: Sendable {
    let areas: [StagingArea]
    let pool: BlockingPool

    static func prepare(plan: Plan, options: RunOptions) throws(IngestError) -> StagingPlan {
        let pool = BlockingPool("filmgate.transfer", width: 4)
        if options.dryRun { return StagingPlan(areas: [], pool: pool) }
        let home = try StagingArea(options.state + "/staging")
        let roots = plan.targets.compactMap(\.traits.localRoot)
        var areas: [StagingArea] = []
        for root in roots where !FileSystem.same(root, home.directory) { areas.append(try StagingArea(root + "/.filmgate/staging")) }
        // The state directory comes first when it shares a file system with the first folder target, and is the last resort otherwise.
        if let first = roots.first, !FileSystem.same(first, home.directory) { areas.append(home) } else { areas.insert(home, at: 0) }
        for area in areas { area.removeLeftovers() }
        return StagingPlan(areas: areas, pool: pool)
    }

    /// Removes the staging folders that are empty; what still waits stays.
    func close() { for area in areas { area.removeIfEmpty() } }
}
