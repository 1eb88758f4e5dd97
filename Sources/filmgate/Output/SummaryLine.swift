import FilmgateCore
import FilmgateEngine

/// The end of every run: the buckets, which add up.
enum SummaryLine {
    static func json(_ outcome: RunOutcome, exit: ExitStatus) -> String {
        let summary = outcome.summary
        var line = JSONWriter()
        line.add("type", "summary")
        line.add("seen", summary.seen)
        for ending in [Ending.delivered, .duplicate, .alreadySeen, .filtered, .setAside, .pending] {
            line.add(ending.rawValue, summary[ending])
        }
        line.add("bytes", summary.bytes)
        line.add("bytes_read", summary.bytesRead)
        line.add("seconds", seconds: summary.seconds)
        line.add("damaged", outcome.damaged)
        line.add("removed", outcome.removed.reduce(0) { $0 + $1.count })
        if outcome.byOthers > 0 { line.add("by_others", outcome.byOthers) }
        if !outcome.earlier.isEmpty { line.add("earlier_events", outcome.earlier.reduce(0) { $0 + $1.count }) }
        line.add("exit", Int(exit.rawValue))
        return line.finished
    }

    /// For people: one line of counts, one of work done, and between them one of what others did.
    static func human(_ outcome: RunOutcome, exit: ExitStatus, plan: Bool) -> String {
        let summary = outcome.summary
        let told: [Ending] = [.delivered, .duplicate, .alreadySeen, .filtered, .setAside, .pending]
        let counts = told.filter { summary[$0] > 0 || $0 == .delivered }.map { ending in
            "\(summary[ending]) \(plan && ending == .delivered ? "to deliver" : ending.words)"
                + Self.partly(outcome.partly[ending] ?? 0, of: summary[ending], plan: plan)
        }.joined(separator: ", ")
        // Of all of them, whatever became of each: behind the last count they would be that one's.
        let damaged = outcome.damaged > 0 ? ", \(outcome.damaged) of them damaged" : ""
        let rate =
            summary.seconds > 0.05 && summary.bytesRead > 0
            ? ", \(Describe.bytes(UInt64(Double(summary.bytesRead) / summary.seconds)))/s" : ""
        let others = outcome.byOthers
        let meanwhile =
            others == 0 ? "" : "\n\(others) \(others == 1 ? "was" : "were") delivered by others meanwhile"
        return """
            \(Describe.count(summary.seen, "file")) seen\(damaged): \(counts)\(meanwhile)
            \(Describe.bytes(summary.bytesRead)) read, \(Describe.bytes(summary.bytes)) \(plan ? "to deliver" : "delivered") \
            in \(Describe.duration(summary.seconds))\(rate) · exit \(exit.rawValue) (\(exit.word))
            """
    }

    /// Their bytes are counted though none of them is complete: else bytes of no file would be told.
    private static func partly(_ count: Int, of all: Int, plan: Bool) -> String {
        if count == 0 { return "" }
        let which = count < all ? "\(count) of them " : all == 1 ? "" : "all of them "
        return " (\(which)\(plan ? "to deliver" : "delivered") to other targets)"
    }
}

extension RunOutcome {
    /// What a person should know beside the counts.
    var remarks: [String] {
        var lines = removed.map { one in
            "note: \(Describe.count(one.count, "copy", "copies")) of known files not at \(Describe.name(one.target)) any more "
                + "(\(Describe.name(one.example))); `--again` brings them back."
        }
        for (target, count) in takenBack.sorted(by: { $0.key < $1.key }) {
            let (were, them) = count == 1 ? ("was", "it") : ("were", "them")
            lines.append(
                "note: \(Describe.count(count, "file")) of these \(were) taken back for \(Describe.name(target)) with "
                    + "`filmgate cancel`, and \(count == 1 ? "is" : "are") not sent there; `--again` orders \(them) anew."
            )
        }
        for (target, count) in seenRemoved.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "note: \(Describe.count(count, "file")) of these \(count == 1 ? "is" : "are") not sent to "
                    + "\(Describe.name(target)): by another station's word the \(count == 1 ? "copy" : "copies") there "
                    + "had been removed; `--again` sends \(count == 1 ? "it" : "them") again.")
        }
        for (folder, bytes) in lacking.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "note: \(Describe.name(folder)) is full: \(Describe.bytes(bytes)) are missing there for what waits.")
        }
        let pending = summary[.pending]
        if pending > 0 {
            lines.append(
                "note: \(Describe.count(pending, "file")) pending: `filmgate status` shows what they wait for. `filmgate retry` sends what a target did not take, "
                    + "`filmgate assign` what waits for an event, `filmgate mark` what waits for a pick or stars; what was not read yet comes with the next import."
            )
        }
        if summary.seen == 0, troubles.isEmpty { lines.append("note: nothing was found to import.") }
        return lines
    }
}

extension EarlierDeliveries {
    var remark: String {
        let whose = event.map { "for the event \(Describe.name($0))" } ?? "without an event"
        let files = "\(Describe.count(count, "file")) \(count == 1 ? "waits" : "wait")"
        return
            "note: \(files) \(whose) at \(Describe.name(target)) from earlier, and \(count == 1 ? "was" : "were") not sent: "
            + "`filmgate retry` sends what waits for any event; so does a run without --once."
    }

    /// Of those that only a run with their event lets go.
    var keptRemark: String {
        let whose = event.map { "of the event \(Describe.name($0))" } ?? "without an event"
        let way =
            event.map { event in
                let name = ShellWord.quoted(event)
                return "`filmgate events use --now \(name)`, or a run with `--event \(name)`, lets"
            } ?? "a run without an event lets"
        let files = "\(Describe.count(count, "file")) \(whose) \(count == 1 ? "waits" : "wait")"
        return
            "note: \(files) at \(Describe.name(target)) for marks, as ordered then, though this pipeline no longer waits "
            + "there: \(way) \(count == 1 ? "it" : "them") go."
    }
}

extension ExitStatus {
    /// The code's name, as documentation and `--json` use it.
    var word: String {
        switch self {
        case .complete: "complete"
        case .failure: "unexpected failure"
        case .usage: "usage"
        case .setAside: "finished with files set aside"
        case .signIn: "sign-in needed or refused"
        case .sourceLost: "source not found or lost"
        case .mismatch: "verification mismatch"
        case .full: "disk or target full"
        case .notProven: "not proven: deliveries pending or held"
        case .nothingToDo: "nothing to do"
        case .stateLocked: "another instance holds the state"
        case .invalidPipeline: "pipeline invalid"
        case .interrupted: "interrupted"
        case .terminated: "terminated"
        }
    }
}
