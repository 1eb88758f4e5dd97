import FilmgateCore

/// The status as one line, where there is no terminal to draw on.
enum StatusLine {
    static func human(_ snapshot: StatusSnapshot) -> String {
        var parts = [
            snapshot.since == nil ? "no run" : snapshot.isPaused ? "paused" : "running",
            Describe.count(snapshot.seen, "frame"),
        ]
        for ending in Ending.allCases {
            if let count = snapshot.endings[ending], count > 0 { parts.append("\(count) \(ending.words)") }
        }
        if snapshot.unfinished > 0 { parts.append(unfinished(snapshot)) }
        for target in snapshot.targets {
            let waiting = target.waiting + target.held
            if waiting > 0 {
                parts.append("\(target.label) \(waiting) waiting\(target.reason.map { " (\($0))" } ?? "")")
            }
            if target.failed > 0 { parts.append("\(target.label) \(target.failed) failed") }
        }
        for source in snapshot.sources { parts += source.condition.alarms }
        for source in snapshot.sources where !source.isUp { parts.append("\(source.name) away") }
        return Describe.name(parts.joined(separator: ", "))
    }

    /// Files without an ending: a run has them, or had them when it broke off.
    static func unfinished(_ snapshot: StatusSnapshot) -> String {
        "\(snapshot.unfinished) \(snapshot.since == nil ? "broken off" : "on the way")"
    }

    static func json(_ snapshot: StatusSnapshot) -> String {
        var line = JSONWriter()
        line.add("type", "status")
        line.add("running", snapshot.since != nil)
        line.add("paused", snapshot.isPaused)
        line.add("event", snapshot.event)
        var assets = JSONWriter()
        for ending in Ending.allCases { assets.add(ending.rawValue, snapshot.endings[ending] ?? 0) }
        line.add("assets", assets)
        line.add("unfinished", snapshot.unfinished)
        line.add("per_minute", snapshot.perMinute)
        line.add("targets", objects: snapshot.targets.map(object))
        line.add("sources", objects: snapshot.sources.map(object))
        return line.finished
    }

    private static func object(_ target: StatusSnapshot.Target) -> JSONWriter {
        var object = JSONWriter()
        object.add("name", target.name)
        object.add("label", target.label)
        object.add("identity", target.identity)
        object.add("done", target.done)
        object.add("pending", target.waiting)
        object.add("held", target.held)
        object.add("failed", target.failed)
        object.add("sending", target.sending)
        object.add("bytes_waiting", target.bytesWaiting)
        object.add("reason", target.reason)
        object.add("free", target.free)
        return object
    }

    /// As `status` and the live status of a run tell it.
    static func object(_ source: StatusSnapshot.Source) -> JSONWriter {
        var object = JSONWriter()
        object.add("name", source.name)
        object.add("module", source.module)
        object.add("up", source.isUp)
        object.add("battery", source.condition.battery)
        object.add("words", source.words)
        object.add("notes", source.condition.notes)
        object.add("alarms", source.condition.alarms)
        object.add(
            "storages",
            objects: source.condition.storages.map { storage in
                var room = JSONWriter()
                room.add("free", storage.free)
                room.add("capacity", storage.capacity)
                return room
            })
        return object
    }
}
