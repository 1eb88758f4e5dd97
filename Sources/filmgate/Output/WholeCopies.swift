import FilmgateCore

/// Where the files lie that a full folder has no room for: a person has to know whether they are whole somewhere.
struct WholeCopies {
    let reader: any LedgerReader

    /// A line for each of the `folders` of which something can be said; nothing where the ledger cannot be read.
    func remarks(_ folders: some Sequence<String>) async -> [String] {
        var lines: [String] = []
        for folder in folders.sorted() {
            let waiting = ((try? await reader.queue([.pending, .held])) ?? []).map(\.delivery)
            let contents = Set(waiting.filter { Self.lies($0.target, in: folder) }.map(\.content))
            if let line = await remark(contents, folder) { lines.append(line) }
        }
        return lines
    }

    private func remark(_ contents: Set<ContentKey>, _ folder: String) async -> String? {
        var counts: [String: Int] = [:]
        for content in contents {
            let rows = (try? await reader.deliveries(of: content)) ?? []
            let copies = rows.filter { $0.receipt.state == .done && !$0.holdsRendition }
            let places = Set(copies.map { "\($0.targetName) (\(TargetLabel.place(of: $0.target)))" })
            for place in places { counts[place, default: 0] += 1 }
        }
        guard let best = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        let there = "for \(Describe.name(folder))", place = Describe.name(best.key)
        guard best.value < contents.count else { return "note: all that waits \(there) is whole at \(place)." }
        let verb = best.value == 1 ? "is" : "are"
        return "note: of \(contents.count) files that wait \(there), \(best.value) \(verb) whole at \(place)."
    }

    /// The folder is the fixed part of the target's, which may go on with a template and an event.
    private static func lies(_ target: String, in folder: String) -> Bool {
        let place = TargetLabel.place(of: target)
        return target.hasPrefix("folder:") && (place == folder || [":", "/"].contains { place.hasPrefix(folder + $0) })
    }
}
