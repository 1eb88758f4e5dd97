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
            line.add("of_other_events", others)
        case .lost(let error):
            line.add("state", "lost")
            line.add("code", error.code.rawValue)
            line.add("reason", error.description)
        case .back: line.add("state", "open")
        case .finished: line.add("state", "finished")
        }
        return line.finished
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
            let stay =
                others == 0
                ? ""
                : "; \(Describe.count(others, "file")) taken for another event stay\(others == 1 ? "s" : "") with that "
                    + "(`filmgate import` with `--event` orders them for this one)"
            return "\(name) is here\(take)\(rest)\(stay)"
        case .lost(let error): return "\(name) is lost: \(Describe.name(error.description)) Trying again."
        case .back: return "\(name) is back"
        case .finished: return nil
        }
    }
}
