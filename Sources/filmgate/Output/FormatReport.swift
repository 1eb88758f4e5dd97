import FilmgateCore
import FilmgateEngine

/// The answer of `safe-to-format`, with counts and names.
struct FormatReport {
    private(set) var findings: [CardProof.Finding] = []
    private(set) var proven = 0, exempt = 0, problems = 0, removed = 0
    /// Proven by what a target said when it took them: files by the target's name.
    private(set) var believed: [String: Int] = [:]
    private(set) var bytes: UInt64 = 0

    mutating func add(_ finding: CardProof.Finding) {
        findings.append(finding)
        bytes = bytes.addingClamped(finding.origin.size)
        switch finding.verdict {
        case .proven:
            proven += 1
            for target in finding.believed { believed[target, default: 0] += 1 }
        case .exempt: exempt += 1
        case .problem: problems += 1
        case .removed:
            problems += 1
            removed += 1
        }
    }

    /// A card without a single proven file gets no yes: there is nothing that could be known about it.
    var isSafe: Bool { problems == 0 && (proven > 0 || findings.isEmpty == false && exempt == findings.count) }

    /// A reason that many files share is told of the first few and then counted; `all` names every file.
    func printText(all: Bool = false) {
        let fold = Fold()
        for finding in findings {
            switch finding.verdict {
            case .proven: break
            case .exempt(let why): Console.out("exempt: \(Describe.name(finding.origin.path)): \(Describe.name(why))")
            case .problem(let why), .removed(let why):
                guard fold.names("not proven", Self.cause(why)) || all else { continue }
                Console.out("not proven: \(Describe.name(finding.origin.path)): \(Describe.name(why))")
            }
        }
        if !all { for line in fold.rest() { Console.out("\(line) (-v names all)") } }
        let culled = removed > 0 ? ", \(removed) removed since" : ""
        Console.out(
            "\(Describe.count(findings.count, "file")), \(Describe.bytes(bytes)): \(proven) proven, \(exempt) exempt, \(problems) not proven\(culled)"
        )
        for (target, count) in believed.sorted(by: { $0.key < $1.key }) {
            let files = Describe.count(count, "file"), name = Describe.name(target)
            Console.out("\(files) by the digest that \(name) named when it took them; it was not asked now, or cannot tell.")
        }
        if removed > 0, !isSafe { Console.out("  → " + Self.advice) }
        if isBesideItsCopies { Console.out("→ `--allow same-device` if this is a dump that lies on the disk of its copies.") }
        Console.out(isSafe ? "YES: safe to format." : "NO: do not format this card.")
    }

    private static let sameDevice = "is on the card's own device"

    /// The reason without what differs from file to file.
    private static func cause(_ why: String) -> String { why.hasSuffix(sameDevice) ? "the copy \(sameDevice)" : why }

    /// Nothing else is wrong than that the copies lie on the same disk.
    private var isBesideItsCopies: Bool {
        let reasons = findings.compactMap { finding -> String? in
            if case .problem(let why) = finding.verdict { return why }
            return nil
        }
        return !reasons.isEmpty && reasons.count == problems && reasons.allSatisfy { $0.hasSuffix(Self.sameDevice) }
    }

    private static let advice = "`filmgate import CARD --again`, with the same options, sends again what was removed at its targets."

    func printJSON() {
        for finding in findings { Console.out(line(finding)) }
        var summary = JSONObject()
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
        if removed > 0, !isSafe { summary.add("advice", Self.advice) }
        summary.add("believed", believed.values.max() ?? 0)
        summary.add("bytes", bytes)
        summary.add("exit", Int((isSafe ? ExitStatus.complete : .notProven).rawValue))
        Console.out(summary.finished)
    }

    private func line(_ finding: CardProof.Finding) -> String {
        var item = JSONObject()
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
            case .problem(let why): ("not_proven", why)
            case .removed(let why): ("removed", why)
            }
        item.add("proof", word)
        item.add("reason", reason)
        if !finding.believed.isEmpty { item.add("believed", finding.believed) }
        return item.finished
    }
}
