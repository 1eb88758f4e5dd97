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
        case .open(let taking, let leaving):
            line.add("state", "open")
            line.add("taking", taking)
            line.add("leaving", leaving)
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
        case .open(let taking, let leaving):
            let take = taking == 0 ? "" : ", taking \(Describe.count(taking, "shot"))"
            let rest =
                leaving == 0
                ? "" : ", leaving \(Describe.count(leaving, "file")) that were there before (see `backlog`)"
            return "\(name) is here\(take)\(rest)"
        case .lost(let error): return "\(name) is lost: \(Describe.name(error.description)) Trying again."
        case .back: return "\(name) is back"
        case .finished: return nil
        }
    }
}
