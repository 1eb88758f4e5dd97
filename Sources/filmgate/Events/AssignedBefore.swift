import FilmgateCore

/// What `assign` has to say where nothing waits for an event any more.
enum AssignedBefore {
    /// `waiting` are the deliveries that are not done and have their event; `target`: where something else is held
    /// elsewhere; `isPart`: of some files that were named.
    static func remark(_ waiting: [DeliveryRow], at target: String?, isPart: Bool = false) -> String {
        let nothing = isPart ? "Nothing of that" : "Nothing"
        if let target { return "\(nothing) is held for \(Describe.name(target)) without an event." }
        var events: [String: Set<ContentKey>] = [:]
        for row in waiting { if let event = row.event { events[event, default: []].insert(row.content) } }
        if events.isEmpty { return "\(nothing) is held without an event." }
        let belong = events.sorted { $0.key < $1.key }.map { event, contents in
            "\(Describe.count(contents.count, "file")) that \(contents.count == 1 ? "waits belongs" : "wait belong") to \(Describe.name(event))"
        }
        return "\(nothing) is held without an event; \(belong.joined(separator: ", ")).\n"
            + "  → `filmgate retry` sends them there. To another event they go by `filmgate import CARD --event EVENT`."
    }
}
