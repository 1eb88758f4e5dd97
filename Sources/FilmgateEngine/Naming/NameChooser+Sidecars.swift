import FilmgateCore

/// One sidecar per shot: what would be made for a late frame gives way to the sidecar that its shot has at the target.
///
/// The frames of a shot keep one name, and a program that reads `IMG_1.xmp` reads it for both of them. So a second
/// sidecar is neither written under another name, which would part the frames, nor over the first, whatever it would
/// say: a person may have rated in it since. Where the first was removed at the target, it stays removed.
extension NameChooser {
    /// Those of `indices` that are second sidecars, by their names `paths`; none when the frames cannot have the shot's.
    func secondSidecars(
        _ drafts: [Draft], _ indices: [Int], _ paths: [String], at target: PlannedTarget
    ) async throws(IngestError) -> Set<Int> {
        var second: Set<Int> = [], frames: [Int] = [], names: [String] = []
        for (position, index) in indices.enumerated() {
            if try await isHeldByItsShot(paths[position], drafts[index], at: target) {
                second.insert(index)
            } else {
                frames.append(index)
                names.append(paths[position])
            }
        }
        if second.isEmpty { return second }
        // With a name of their own the frames need a sidecar of their own.
        return try await free(names, drafts: drafts, indices: frames, at: target) == nil ? [] : second
    }

    /// True for what is made, and would lie where a sidecar of the same shot was delivered or is on its way to.
    private func isHeldByItsShot(_ path: String, _ draft: Draft, at target: PlannedTarget) async throws(IngestError)
        -> Bool
    {
        guard draft.isMade else { return false }
        let shot = ShotIdentity(draft.asset)
        if let given = reservations.shot(at: path, of: target.identity) {
            return reservations.holder(of: path, at: target.identity) != draft.content && given.isOne(with: shot)
        }
        let holder = try await ledger.holder(of: path, at: target.identity)
        guard let holder, holder != draft.content else { return false }
        // Sidecars of a whole wedding have the same bytes: the picture that this one lies beside is looked up instead.
        return try await ledger.assets(sha256: holder.beside ?? holder.sha256).contains {
            ShotIdentity($0).isOne(with: shot)
        }
    }
}
