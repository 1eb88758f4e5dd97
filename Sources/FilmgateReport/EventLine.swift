package import FilmgateCore

/// An event as the JSON object `event`.
package struct EventLine: Sendable {
    package var name: String, chosen: Bool, runs: Int
    /// Of the gallery that has it: the target that asks it, its id and date there, and when its list was read.
    package var target: String?, id: String?, date: String?, note: String?, fetched: Int?

    package init(name: String, chosen: Bool, runs: Int) { (self.name, self.chosen, self.runs) = (name, chosen, runs) }

    package var object: JSONWriter {
        var object = JSONWriter()
        object.add("type", "event")
        object.add("name", name)
        object.add("chosen", chosen)
        object.add("runs", runs)
        object.add("target", target)
        object.add("id", id)
        object.add("date", date)
        object.add("note", note)
        object.add("fetched", fetched.flatMap { CivilTime(unixSeconds: Int64($0))?.description })
        return object
    }
}
