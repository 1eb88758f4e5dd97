import FilmgateCore
import FilmgateEngine

/// The answer of `safe-to-format`, with counts and names.
struct FormatReport {
    private(set) var findings: [CardProof.Finding] = []
    private(set) var proven = 0, exempt = 0, problems = 0, removed = 0
    /// Proven by what a target said when it took them: files by the target's name.
    private(set) var believed: [String: Int] = [:]
    private(set) var bytes: UInt64 = 0
    /// Files of which a part is missing on the card.
    private(set) var damaged: [String] = []
    /// Copies that are lost where the last import did not want them: files by the target's name and event.
    private(set) var lost: [String: Int] = [:]
    /// Files that were proven where other stations had delivered them: by the stations, and the targets that were asked
    /// or read here.
    private(set) var elsewhere: [Elsewhere: Int] = [:]
    struct Elsewhere: Hashable {
        var stations: [String], targets: [String]
        var order: String { (stations + targets).joined(separator: " ") }
    }
    /// Copies that somebody took back or said to be gone, of files that are proven or need none: files by what was said
    /// of which place.
    private(set) var takenBack: [TakenBackCopy: Int] = [:]
    /// The dump that this is only a part of.
    var partOf: String?
    /// Files that the ledger knows of the card, and that are not on it any more.
    var gone = 0
    /// Targets that were asked and gave no answer that counts.
    var unheard: [ProofTargets.Unheard] = []

    mutating func add(_ finding: CardProof.Finding) {
        findings.append(finding)
        bytes = bytes.addingClamped(finding.origin.size)
        if finding.isDamaged { damaged.append(finding.origin.path) }
        for label in finding.lost { lost[label, default: 0] += 1 }
        switch finding.verdict {
        case .proven:
            proven += 1
            for target in finding.believed { believed[target, default: 0] += 1 }
            for copy in Set(finding.takenBack) { takenBack[copy, default: 0] += 1 }
            if !finding.stations.isEmpty {
                elsewhere[
                    Elsewhere(stations: finding.stations.sorted(), targets: finding.asked.sorted()), default: 0] += 1
            }
        case .exempt:
            exempt += 1
            for copy in Set(finding.takenBack) { takenBack[copy, default: 0] += 1 }
        case .problem: problems += 1
        case .removed:
            problems += 1
            removed += 1
        }
    }

    /// A card without a single proven file gets no yes: a card whose pictures cannot be seen looks just like that.
    var isSafe: Bool { problems == 0 && proven > 0 }

    /// A reason that many files share is told of the first few and then counted; `all` names every file.
    func printText(to console: Console, all: Bool = false) {
        let groups = ReasonGroups()
        for finding in findings {
            switch finding.verdict {
            case .proven: break
            case .exempt(let why): console.out("exempt: \(Describe.name(finding.origin.path)): \(Describe.name(why))")
            case .problem(let why, _), .removed(let why, _):
                guard groups.names("not proven", Self.cause(finding.verdict, why)) || all else { continue }
                console.out("not proven: \(Describe.name(finding.origin.path)): \(Describe.name(why))")
            }
        }
        if !all { for line in groups.rest() { console.out("\(line) (-v names all)") } }
        let culled = removed > 0 ? ", \(removed) removed since" : ""
        console.out(
            "\(Describe.count(findings.count, "file")), \(Describe.bytes(bytes)): \(proven) proven, \(exempt) exempt, \(problems) not proven\(culled)"
        )
        for (target, count) in believed.sorted(by: { $0.key < $1.key }) {
            let files = Describe.count(count, "file"), name = Describe.name(target)
            console.out(
                "\(files) by the digest that \(name) named when it took them; it was not asked now, or cannot tell.")
        }
        for line in found + remarks { console.out(line) }
        for line in advice { console.out("→ " + line) }
        console.out(isSafe ? "YES: safe to format." : "NO: do not format this card.")
    }

    /// The reason without what differs from file to file.
    private static func cause(_ verdict: CardProof.Verdict, _ why: String) -> String {
        if case .problem(_, .allowSameDevice) = verdict { return "the copy is on the card's own device" }
        return why
    }

    /// What ends the problems, one for each that has one.
    private var remedies: [CardProof.Remedy] {
        findings.compactMap { finding in
            if case .problem(_, let remedy) = finding.verdict { return remedy }
            return nil
        }
    }

    /// What ends the NO, by what is wrong.
    private var advice: [String] {
        guard !isSafe else { return [] }
        let remedies = Set(remedies)
        var lines: [String] = []
        if removed > 0 { lines.append(isAway ? Self.mount + Self.sendAgain + Self.retire : Self.sendAgain) }
        if remedies.contains(.mark) {
            lines.append(
                "Some copies wait until somebody picks or rates the picture: `filmgate mark --pick FILE` sends it, `--reject` leaves it out; "
                    + "or use the page of `filmgate studio`.")
        }
        let open = Set(findings.flatMap(\.open)).sorted()
        if !open.isEmpty {
            let ways = open.prefix(3).map { "`filmgate cancel --target '\(Describe.name($0))'`" }.joined(
                separator: ", ")
            lines.append(
                "`filmgate retry` sends what waits, with `--failed` also what was refused; \(ways) \(open.count == 1 ? "takes" : "take") it back "
                    + "where it was ordered by mistake.")
        }
        if let words = findings.lazy.compactMap(\.unanswered).first { lines.append(Self.askAgain(words)) }
        if remedies.contains(.ingest) {
            lines.append(
                "`filmgate import CARD`, with the options of its other imports, takes what was never ingested.")
        }
        if remedies.contains(.deliver) {
            lines.append(
                "`filmgate import CARD --pipeline FILE` delivers what the pipeline wants; with --event, to that event.")
        }
        if remedies.contains(.deliverAnew) {
            lines.append(
                "`filmgate import --again CARD`, with the same options, delivers anew what was changed; the changed copy stays."
            )
        }
        if remedies.contains(.sayHowToAsk) {
            lines.append(
                "What a target cannot say that it has is not proven: write in the pipeline how it is asked (`find`), where its module can, "
                    + "or deliver to a folder or a gallery that can tell in its place (`filmgate import CARD --to FOLDER`), and ask without that pipeline."
            )
        }
        if remedies.contains(.orderAgain) || problems == 0 && proven == 0 && !takenBack.isEmpty {
            lines.append(
                "`filmgate import --again CARD`, with the options of an import, brings what was taken back and has no copy now."
            )
        }
        if remedies.contains(.copyToDisk) {
            lines.append("`filmgate import CARD --to FOLDER` with a folder on a disk makes a copy that lasts.")
        }
        let lacks = findings.map(\.lacks).max() ?? 0
        if lacks > (remedies.contains(.copyToDisk) ? 1 : 0) || remedies.contains(.copyElsewhere) {
            lines.append(Self.copyElsewhere(max(1, lacks)))
        }
        if remedies.contains(.nameTheKind) {
            lines.append(
                "\(UnknownKinds.advice) `--allow filtered` does not lift this: nobody knows what these files are.")
        }
        if remedies.contains(.allowFiltered) {
            lines.append("`--allow filtered` if what the rules leave out needs no copy.")
        }
        if problems == 0, proven == 0, takenBack.isEmpty {
            lines.append(
                "What cannot be seen here cannot be proven: where the card has pictures, look at it in its camera or in another reader."
            )
        }
        return lines + RemedyAdvice(remedies: self.remedies).lines
    }

    /// All that a further copy has to be, since a folder beside the first one would only lead to the next no.
    private static func copyElsewhere(_ count: Int) -> String {
        let more =
            count == 1
            ? "makes one more copy: FOLDER has to be on another disk than the card and the folders named above, and not in memory"
            : "makes one more copy; \(count) more are missing, so say it \(count) times: each FOLDER has to be on another disk than the card, "
                + "the folders named above and the other ones, and not in memory"
        return "`filmgate import CARD --to FOLDER` \(more). All targets elsewhere count as one copy. "
            + "`--copies 1` if one is enough, whatever a pipeline said."
    }

    /// Some copies were on a disk that is not mounted.
    private var isAway: Bool {
        findings.contains { finding in
            if case .removed(_, isAway: true) = finding.verdict { true } else { false }
        }
    }

    private static func askAgain(_ words: String) -> String {
        "The catalogue did not answer (\(RunTelling.inner(Describe.name(words)))). Ask again once it does "
            + "(`filmgate catalog check --pipeline FILE` tries it): "
            + "other stations may have delivered what is not proven here."
    }
    private static let mount =
        "Mount the disk of the copies, if it is not mounted, and ask again. If they were removed: "
    private static let retire =
        " `filmgate cancel --target FOLDER --gone` says that a folder is gone for good: other copies count then, and where there are none the "
        + "card is imported again."
    private static let sendAgain =
        "`filmgate import --again CARD`, with the same options, sends again what was removed at its targets; "
        + "`filmgate cancel --gone FILE…` says that it was removed on purpose."

    /// Where files were found that other stations delivered.
    private var found: [String] {
        elsewhere.sorted { $0.key.order < $1.key.order }.map { key, count in
            let stations = Describe.name(key.stations.joined(separator: ", "))
            let targets = Describe.name(key.targets.joined(separator: ", "))
            return
                "\(Describe.count(count, "file")) delivered by \(stations): asked for or read at \(targets) from here, now."
        }
    }

    /// What a person should know beside the answer.
    private var remarks: [String] {
        var lines: [String] = []
        if let partOf {
            lines.append("This is only a part of \(Describe.name(partOf)): nothing else of it was looked at.")
        }
        if !damaged.isEmpty {
            let names = damaged.prefix(3).map(Describe.name).joined(separator: ", ") + (damaged.count > 3 ? " …" : "")
            lines.append(
                "\(Describe.count(damaged.count, "file")) damaged: \(names). A part is missing on the card, too: recover it before formatting."
            )
        }
        lines += doubts
        for (label, count) in lost.sorted(by: { $0.key < $1.key }) {
            let files = Describe.count(count, "file"), name = Describe.name(label)
            let copies = count == 1 ? "The copy of \(files) at \(name) is" : "The copies of \(files) at \(name) are"
            lines.append("\(copies) missing or changed now; nothing asked for them here.")
        }
        for (copy, count) in takenBack.sorted(by: { ($0.key.place, $0.key.reason) < ($1.key.place, $1.key.reason) }) {
            let files = Describe.count(count, "file"), place = Describe.name(copy.place)
            lines.append("Not counted for \(files): \(place), \(Describe.name(copy.reason)).")
        }
        if problems == 0, proven == 0 {
            let why = takenBack.isEmpty ? "Nothing on it was ever ingested" : "Every copy of it was taken back"
            lines.append(why + (gone > 0 ? "." : ", so nothing is proven."))
        }
        if gone > 0 {
            let files = Describe.count(gone, "file"), verb = gone == 1 ? "is" : "are"
            lines.append("\(files) known from this card \(verb) not on it now: deleted or hidden.")
        }
        return lines
    }

    /// Of targets that gave no answer that counts, where no file says so as its reason.
    private var doubts: [String] {
        let reasons = findings.compactMap { finding -> String? in
            if case .problem(let why, _) = finding.verdict { why } else { nil }
        }
        return unheard.compactMap { one in
            let message = one.error.message, words = message.hasSuffix(".") ? String(message.dropLast()) : message
            if reasons.contains(where: { $0.contains(words) }) { return nil }
            let what = one.isUntruthful ? "was asked, and its answer does not count" : "could not be asked"
            return "\(Describe.name(one.target)) \(what): \(Describe.name(words))."
        }
    }

    func printJSON(to console: Console) {
        for finding in findings { console.out(line(finding)) }
        var summary = JSONWriter()
        summary.add("type", "summary")
        summary.add("safe", isSafe)
        summary.add("seen", findings.count)
        // The buckets of every summary, as they stand for this card: proven, exempt, and what is still to be done.
        let buckets: [Ending: Int] = [.delivered: proven, .filtered: exempt, .pending: problems]
        for ending in [Ending.delivered, .duplicate, .alreadySeen, .filtered, .setAside, .pending] {
            summary.add(ending.rawValue, buckets[ending] ?? 0)
        }
        summary.add("proven", proven)
        summary.add("exempt", exempt)
        summary.add("not_proven", problems)
        summary.add("removed", removed)
        if !advice.isEmpty { summary.add("advice", advice.joined(separator: "\n")) }
        summary.add("believed", believed.values.max() ?? 0)
        if !unheard.isEmpty { summary.add("unheard", unheard.map(\.target)) }
        summary.add("damaged", damaged.count)
        summary.add("lost", lost.values.reduce(0, +))
        summary.add("taken_back", takenBack.values.reduce(0, +))
        summary.add("gone", gone)
        summary.add("part_of", partOf)
        summary.add("bytes", bytes)
        summary.add("exit", Int((isSafe ? ExitStatus.complete : .notProven).rawValue))
        console.out(summary.finished)
    }

    private func line(_ finding: CardProof.Finding) -> String {
        var item = JSONWriter()
        item.add("type", "item")
        item.add("source", finding.origin.root)
        item.add("path", finding.origin.path)
        item.add("kind", finding.kind.rawValue)
        item.add("size", finding.origin.size)
        item.add("sha256", finding.sha256)
        let (word, reason): (String, String?) =
            switch finding.verdict {
            case .proven: ("proven", nil)
            case .exempt(let why): ("exempt", why)
            case .problem(let why, _): ("not_proven", why)
            case .removed(let why, _): ("removed", why)
            }
        item.add("proof", word)
        item.add("reason", reason)
        if !finding.believed.isEmpty { item.add("believed", finding.believed) }
        if finding.isDamaged { item.add("damaged", true) }
        if !finding.lost.isEmpty { item.add("lost", finding.lost) }
        if !finding.takenBack.isEmpty { item.add("taken_back", finding.takenBack.map(\.place)) }
        if !finding.stations.isEmpty { item.add("stations", finding.stations) }
        if !finding.asked.isEmpty { item.add("asked", finding.asked) }
        if !finding.copies.isEmpty { item.add("copies", finding.copies) }
        return item.finished
    }
}
