import FilmgateCore
import Foundation

/// The status as lines, for a terminal of 80 columns or any other width.
struct StatusScreen {
    /// One line, with the ink that it is drawn in.
    struct Line: Equatable {
        enum Style { case plain, strong, faint, alarm }
        var text: String, ink = Style.plain
    }
    let snapshot: StatusSnapshot
    let width: Int, height: Int
    /// Seconds since 1970.
    var now = Date().timeIntervalSince1970

    /// At most `height` lines, each at most `width` columns; what matters most comes first.
    var lines: [Line] {
        var lines = [header, counts]
        let cameras = cameraLines, targets = targetLines, troubles = troubleLines
        if !cameras.isEmpty { lines += [heading("CAMERAS AND FOLDERS")] + cameras }
        if !targets.isEmpty { lines += [targetHeading] + targets }
        if !troubles.isEmpty { lines += [heading("NEEDS YOU")] + troubles }
        let room = height - lines.count - 2
        if room > 0, !snapshot.frames.isEmpty {
            lines += [heading("LAST FRAMES")] + frameLines(Array(snapshot.frames.prefix(room)))
        }
        return lines.prefix(max(1, height)).map { Line(text: TextWidth.fit($0.text, width), ink: $0.ink) }
    }

    private func heading(_ text: String) -> Line { Line(text: text, ink: .faint) }

    private var header: Line {
        let event = snapshot.event.map { $0.isEmpty ? "no event yet" : $0 }
        let left = ["filmgate", event].compactMap { $0 }.joined(separator: "  ")
        let state =
            snapshot.since.map {
                (snapshot.isPaused ? "PAUSED (filmgate resume) " : "running ")
                    + Describe.duration(now - Double($0) / 1e9)
            }
            ?? "no run goes on"
        let right = state + "  " + Self.clock(Int64(now))
        return Line(text: TextWidth.pad(left, max(0, width - TextWidth.of(right) - 1)) + " " + right, ink: .strong)
    }

    private var counts: Line {
        var parts = [Describe.count(snapshot.seen, "frame")]
        for (ending, word) in [
            (Ending.delivered, "delivered"), (.duplicate, "duplicate"), (.filtered, "left out"), (.pending, "pending"),
            (.setAside, "set aside"),
        ] {
            if let count = snapshot.endings[ending], count > 0 { parts.append("\(count) \(word)") }
        }
        if snapshot.unfinished > 0 { parts.append(StatusLine.unfinished(snapshot)) }
        if let rate = snapshot.perMinute { parts.append("\(rate)/min") }
        return Line(text: snapshot.seen == 0 ? "nothing has been ingested yet" : parts.joined(separator: " · "))
    }

    /// A line for each; what does not fit beside its name stands below it, as far as there is room for that.
    private var cameraLines: [Line] {
        let shown = snapshot.sources.prefix(max(3, height / 4))
        var room = max(6, height / 3) - shown.count
        return shown.flatMap { source -> [Line] in
            let said = Self.said(of: source), mark = source.isUp ? "  " : "! "
            var lines = ["  \(mark)\(TextWidth.pad(source.name, min(30, width / 2 - 4))) \(said)"]
            if TextWidth.of(lines[0]) > width {
                let below = wrapped(said)
                if below.count <= room {
                    room -= below.count
                    lines = ["  \(mark)\(TextWidth.fitMiddle(source.name, width - 4))"] + below
                }
            }
            let isLow = !source.isUp || (source.condition.battery ?? 100) <= 15
            return lines.map { Line(text: $0, ink: isLow ? .alarm : .plain) }
        }
    }

    private static func said(of source: StatusSnapshot.Source) -> String {
        var words = [source.words.map { without(source.name, $0) }].compactMap { $0 }
        if source.isUp {
            if let battery = source.condition.battery { words.insert("battery \(battery) %", at: 0) }
            words += source.condition.storages.enumerated().map { index, room in
                "card \(index + 1): \(Describe.bytes(room.free)) free"
            }
            words += source.condition.notes
        }
        return words.isEmpty ? "connected" : words.joined(separator: ", ")
    }

    /// What is said of something, without its name in front: that stands beside it.
    private static func without(_ name: String, _ words: String) -> String {
        guard words.hasPrefix(name + ": ") else { return words }
        return String(words.dropFirst(name.count + 2))
    }

    private static let column = 9
    private var nameWidth: Int { min(20, max(8, width - 4 * Self.column - 24)) }

    private var targetHeading: Line {
        let columns = ["done", "waiting", "sending", "failed"].map { TextWidth.pad($0, Self.column, right: true) }
        return heading(TextWidth.pad("TARGETS", nameWidth + 4) + columns.joined())
    }

    private var targetLines: [Line] {
        snapshot.targets.prefix(max(3, height / 3)).flatMap { target -> [Line] in
            let numbers = [
                String(target.done), String(target.waiting + target.held), target.sending.map(String.init) ?? "–",
                String(target.failed),
            ]
            var text =
                "    " + TextWidth.pad(name(of: target), nameWidth)
                + numbers.map { TextWidth.pad($0, Self.column, right: true) }.joined()
            let isAlarm = target.held > 0 || target.failed > 0 || target.reason?.hasPrefix("held") == true
            var more: [String] = []
            if let reason = target.reason {
                if TextWidth.of(text) + 2 + TextWidth.of(reason) <= width {
                    text += "  " + reason
                } else {
                    more = wrapped(reason)
                }
            } else if let age = target.age, target.waiting > 0 {
                text += "  oldest " + Describe.duration(age)
            }
            let free = target.free.map { "  \(Describe.bytes($0)) free" } ?? ""
            if more.isEmpty, TextWidth.of(text + free) <= width { text += free }
            return ([text] + more).map { Line(text: $0, ink: isAlarm ? .alarm : .plain) }
        }
    }

    /// With the end of its folder or with its event, as far as there is room.
    private func name(of target: StatusSnapshot.Target) -> String {
        guard let addition = target.addition else { return target.name }
        let shown = Describe.name(addition), room = nameWidth - TextWidth.of(target.name) - 1
        if TextWidth.of(shown) <= room { return "\(target.name) \(shown)" }
        var rest = shown.unicodeScalars[...]
        while TextWidth.of(String(rest)) > room - 2, !rest.isEmpty { rest.removeFirst() }
        return "\(target.name) …\(String(rest))"
    }

    /// A reason with its advice, on lines of their own: three at most.
    private func wrapped(_ reason: String) -> [String] {
        let indent = "        ", room = max(20, width - TextWidth.of(indent))
        var lines: [String] = []
        for word in reason.split(separator: " ") {
            if let last = lines.last, TextWidth.of(last) + 1 + TextWidth.of(String(word)) <= room {
                lines[lines.count - 1] += " " + word
            } else if lines.count == 3 {
                lines[2] += " …"
                break
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { indent + $0 }
    }

    private var troubleLines: [Line] { snapshot.troubles.prefix(3).map { Line(text: "    " + $0, ink: .alarm) } }

    private func frameLines(_ frames: [StatusSnapshot.Frame]) -> [Line] {
        let places = frames.map(Self.place(of:)), camera = width >= 70 ? 18 : 0
        // Names of an event begin alike: they get the room that there is.
        let room = width - 4 - 10 - camera - 2 - min(30, places.map(TextWidth.of).max() ?? 0)
        let column = max(width < 70 ? 16 : 20, min(room, frames.map { TextWidth.of($0.name) }.max() ?? 0))
        return zip(frames, places).map { frame, place in
            let name = TextWidth.fitMiddle(frame.name, column)
            var parts = [Self.clock(frame.at / 1_000_000_000), TextWidth.pad(name, column)]
            if camera > 0 { parts.append(TextWidth.pad(frame.camera ?? "", 16)) }
            let text = "    " + (parts + [place]).joined(separator: "  ")
            return Line(text: text, ink: frame.ending == .setAside ? .alarm : .plain)
        }
    }

    private static func place(of frame: StatusSnapshot.Frame) -> String {
        var place = frame.done.joined(separator: " ")
        if !frame.open.isEmpty {
            place += (place.isEmpty ? "" : ", ") + "waits for " + frame.open.joined(separator: " ")
        }
        return place.isEmpty ? frame.ending.map(word) ?? "on its way" : place
    }

    private static func word(_ ending: Ending) -> String {
        switch ending {
        case .setAside: "set aside"
        case .alreadySeen: "seen before"
        case .filtered: "left out"
        case .duplicate: "duplicate"
        case .delivered: "delivered"
        case .pending: "pending"
        }
    }

    /// A wall clock here.
    private static func clock(_ seconds: Int64) -> String {
        var time = time_t(seconds), local = tm()
        guard localtime_r(&time, &local) != nil else { return "--:--:--" }
        return [local.tm_hour, local.tm_min, local.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
    }
}
