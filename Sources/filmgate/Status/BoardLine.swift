import FilmgateCore

/// The board as one line, where there is no terminal to draw on.
enum BoardLine {
    static func human(_ board: Board) -> String {
        var parts = [board.since == nil ? "no run" : board.isPaused ? "paused" : "running", "\(board.seen) frames"]
        for ending in Ending.allCases { if let count = board.endings[ending], count > 0 { parts.append("\(count) \(ending.rawValue)") } }
        for target in board.targets {
            let waiting = target.waiting + target.held
            if waiting > 0 { parts.append("\(target.label) \(waiting) waiting\(target.reason.map { " (\($0))" } ?? "")") }
            if target.failed > 0 { parts.append("\(target.label) \(target.failed) failed") }
        }
        for source in board.sources { parts += source.condition.alarms }
        for source in board.sources where !source.isUp { parts.append("\(source.name) away") }
        return Describe.name(parts.joined(separator: ", "))
    }

    static func json(_ board: Board) -> String {
        var line = JSONObject()
        line.add("type", "status")
        line.add("running", board.since != nil)
        line.add("paused", board.isPaused)
        line.add("event", board.event)
        var assets = JSONObject()
        for ending in Ending.allCases { assets.add(ending.rawValue, board.endings[ending] ?? 0) }
        line.add("assets", assets)
        line.add("unfinished", board.unfinished)
        line.add("targets", objects: board.targets.map(object))
        line.add("sources", objects: board.sources.map(object))
        return line.finished
    }

    private static func object(_ target: Board.Target) -> JSONObject {
        var object = JSONObject()
        object.add("name", target.name)
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

    private static func object(_ source: Board.Source) -> JSONObject {
        var object = JSONObject()
        object.add("name", source.name)
        object.add("up", source.isUp)
        object.add("battery", source.condition.battery)
        object.add("words", source.words)
        object.add("notes", source.condition.notes)
        object.add("alarms", source.condition.alarms)
        return object
    }
}
