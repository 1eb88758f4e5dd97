import FilmgateCore

/// How targets are called where one name of the pipeline file stands for several: one for each event.
enum TargetLabel {
    /// By identity: the name alone where that says enough, else with what tells it from the others.
    static func all(_ targets: [LedgerTotals.Target]) -> [String: String] {
        var labels: [String: String] = [:]
        for (name, group) in Dictionary(grouping: targets, by: \.name) {
            let parts = group.map { $0.identity.split(separator: ":", omittingEmptySubsequences: false) }
            var shared = 0
            while group.count > 1, let first = parts.first, shared < first.count,
                parts.allSatisfy({ shared < $0.count && $0[shared] == first[shared] })
            {
                shared += 1
            }
            for (target, part) in zip(group, parts) {
                let rest = part.dropFirst(shared).joined(separator: ":")
                labels[target.identity] = group.count == 1 ? name : "\(name) (\(rest.isEmpty ? "no event" : rest))"
            }
        }
        return labels
    }
}
