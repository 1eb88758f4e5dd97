import FilmgateCore

/// How a source of a continuous run fares, as a JSON Lines object `status` and as a sentence.
enum SourceLine {
    static func json(_ place: SourcePlace, _ state: SourceState) -> String {
        var line = JSONWriter()
        line.add("type", "status")
        line.add("source", place.source)
        line.add("address", place.address)
        line.add("label", place.label)
        switch state {
        case .open(let taking, let leaving, let others):
            line.add("state", "open")
            line.add("taking", taking)
            line.add("leaving", leaving)
            line.add("of_other_events", others.values.reduce(0, +))
        case .lost(let error):
            line.add("state", "lost")
            line.add("code", error.code.rawValue)
            line.add("reason", error.description)
        case .back: line.add("state", "open")
        case .finished: line.add("state", "finished")
        }
        return line.finished
    }

    /// Files that another event has, or none.
    private static func staying(_ count: Int, of event: String?) -> String {
        let files = Describe.count(count, "file"), order = "(`filmgate import` with `--event` orders them for this one)"
        guard let event else { return "\(files) taken without an event, left so \(order)" }
        if event == DeliveryRow.unassigned { return "\(files) still without an event (`filmgate assign EVENT`)" }
        return "\(files) of the event \(Describe.name(event)), left there \(order)"
    }

    /// Nil where nobody need know.
    static func human(_ place: SourcePlace, _ state: SourceState) -> String? {
        let name = "\(place.source): \(Describe.name(place.label))"
        switch state {
        case .open(let taking, let leaving, let others):
            let take = taking == 0 ? "" : ", taking \(Describe.count(taking, "shot"))"
            let rest =
                leaving == 0
                ? "" : ", leaving \(Describe.count(leaving, "file")) from before (see `backlog`)"
            let all = others.sorted { ($0.key ?? "", $0.value) < ($1.key ?? "", $1.value) }
            let stay = all.map { "; " + staying($1, of: $0) }.joined()
            return "\(name) is here\(take)\(rest)\(stay)"
        case .lost(let error):
            // With a full disk on this side nothing is wrong with the camera.
            let words = error.code == .storageFull ? "is not read on" : "is lost"
            return "\(name) \(words): \(Describe.name(error.description)) Trying again."
        case .back: return "\(name) is back"
        case .finished: return nil
        }
    }
}
