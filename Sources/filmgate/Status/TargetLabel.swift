import FilmgateCore

/// How targets are called: by their name in the pipeline file, and by where they go.
enum TargetLabel {
    /// By identity: the name with the place that it goes to, or where one name stands for several (one for each event),
    /// with what tells it from the others.
    static func all(_ targets: [LedgerTotals.Target]) -> [String: String] {
        let places = places(targets.map { ($0.name, $0.identity) })
        return targets.reduce(into: [:]) { $0[$1.identity] = "\($1.name) (\(places[$1.identity] ?? ""))" }
    }

    /// What `all` says beside the names, by identity.
    static func places(_ targets: [(name: String, identity: String)]) -> [String: String] {
        var places: [String: String] = [:]
        for group in Dictionary(grouping: targets, by: { $0.name }).values {
            let parts = group.map { $0.identity.split(separator: ":", omittingEmptySubsequences: false) }
            var shared = 0
            while group.count > 1, let first = parts.first, shared < first.count,
                parts.allSatisfy({ shared < $0.count && $0[shared] == first[shared] })
            {
                shared += 1
            }
            // Where more than the event is different, the whole address is needed to see which of them is the mistake.
            let isByEvent = parts.allSatisfy { $0.count - shared <= 1 }
            for (target, part) in zip(group, parts) {
                let isWhole = group.count == 1 || !isByEvent
                let rest = isWhole ? place(of: target.identity) : part.dropFirst(shared).joined(separator: ":")
                places[target.identity] = rest.isEmpty ? "no event" : rest
            }
        }
        return places
    }

    /// A folder, or an address with the account and event: what stands behind the kind of the target.
    static func place(of identity: String) -> String {
        identity.utf8.firstIndex(of: 0x3A).map { String(identity[identity.utf8.index(after: $0)...]) } ?? identity
    }

    /// The fixed part of a folder target's path on this machine; nil for other targets.
    static func localFolder(_ target: LedgerTotals.Target) -> String? {
        guard target.identity.utf8.starts(with: "folder:/".utf8) else { return nil }
        return place(of: target.identity).split(separator: "{").first.map(String.init)
    }

    /// The folder of a target that `--to` named: `to`, `to-2` say nothing.
    static func folder(_ target: LedgerTotals.Target) -> String? {
        let rest = target.name.utf8.dropFirst(2)
        guard target.name.utf8.starts(with: "to".utf8), target.identity.utf8.starts(with: "folder:/".utf8),
            rest.isEmpty || rest.first == 0x2D && rest.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return place(of: target.identity)
    }
}

extension LedgerTotals.Target {
    /// Something waits there, and another place that is called the same was used since: the address may have been
    /// corrected.
    func isSuperseded(among all: [LedgerTotals.Target]) -> Bool {
        let waits = [Receipt.State.pending, .held, .failed].contains { (states[$0] ?? 0) > 0 }
        guard waits, let own = all.firstIndex(where: { $0.identity == identity }) else { return false }
        return all[(own + 1)...].contains { $0.name == name && ($0.states[.done] ?? 0) > 0 }
    }
}
