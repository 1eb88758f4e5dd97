import FilmgateCore
import FilmgateEngine

/// Counts and tells what `verify` finds.
struct VerifyStatistics {
    let json: Bool, console: Console
    private(set) var equal = 0, missing = 0, different = 0
    /// Copies at remote targets of which nothing could be told.
    private(set) var unknown = 0
    private var failures: [String: IngestError] = [:]

    init(json: Bool, _ console: Console) { (self.json, self.console) = (json, console) }

    var bad: Int { missing + different }
    var checked: Int { equal + bad }

    /// Targets that never can tell are no failure beside copies that were read; targets that should have told are.
    var exit: ExitStatus {
        if bad > 0 { return .mismatch }
        if failures.values.contains(where: { $0.code == .unauthorized }) { return .signIn }
        return failures.isEmpty && (unknown == 0 || equal > 0) ? .complete : .notProven
    }

    /// What a remote target said of one copy; why it could not be asked is told once a target.
    mutating func add(_ delivery: DeliveryRow, _ answer: RemoteCheck.Answer) {
        let (word, reason): (String, String?)
        switch answer {
        case .told(.equal): (equal, word, reason) = (equal + 1, "equal", nil)
        case .told(.differs(let why)): (different, word, reason) = (different + 1, "differs", why)
        case .told(.missing): (missing, word, reason) = (missing + 1, "missing", nil)
        case .told(.discarded(let why)): (missing, word, reason) = (missing + 1, "missing", why)
        case .told(.cannotTell): (unknown, word, reason) = (unknown + 1, "unknown", "the target cannot say what it has")
        case .noTarget:
            (unknown, word, reason) = (unknown + 1, "unknown", "no pipeline that is known names this target")
        case .failed(let error):
            (unknown, word, reason) = (unknown + 1, "unknown", error.message)
            if failures.updateValue(error, forKey: delivery.target) == nil {
                console.tell(
                    IngestError(
                        error.code, "\(delivery.targetName) could not be asked: \(error.message)", advice: error.advice),
                    json: json
                )
            }
        }
        tell(delivery, word, reason)
    }

    private func tell(_ delivery: DeliveryRow, _ word: String, _ reason: String?) {
        let place =
            delivery.receipt.url
            ?? (delivery.path.isEmpty ? delivery.receipt.id ?? delivery.content.sha256 : delivery.path)
        guard json else {
            // Thousands of copies that a target cannot tell of are one number in the summary.
            if word != "equal", word != "unknown" {
                console.out(Describe.name("\(word): \(delivery.targetName): \(place)\(reason.map { ": " + $0 } ?? "")"))
            }
            return
        }
        var line = JSONWriter()
        line.add("type", "item")
        line.add("target", delivery.targetName)
        line.add("event", delivery.isUnassigned ? nil : delivery.event)
        line.add("url", delivery.receipt.url)
        line.add("id", delivery.receipt.id)
        line.add("verification", word)
        line.add("reason", reason)
        line.add("sha256", delivery.receipt.sha256)
        console.out(line.finished)
    }

    mutating func add(_ path: String, _ algorithm: DigestAlgorithm, _ digest: String?, _ verification: Verification) {
        let (word, reason): (String, String?)
        switch verification {
        case .equal:
            equal += 1
            (word, reason) = ("equal", nil)
        case .differs(let why):
            different += 1
            (word, reason) = ("differs", why)
        case .missing:
            missing += 1
            (word, reason) = ("missing", nil)
        case .discarded(let why):
            missing += 1
            (word, reason) = ("missing", why)
        case .cannotTell: return
        }
        if json {
            var line = JSONWriter()
            line.add("type", "item")
            line.add("path", path)
            line.add("verification", word)
            line.add("reason", reason)
            line.add("sha256", algorithm == .sha256 ? digest : nil)
            if algorithm != .sha256 { line.add(algorithm.rawValue, digest) }
            console.out(line.finished)
        } else if verification != .equal {
            console.out("\(word): \(Describe.name(path))\(reason.map { ": " + $0 } ?? "")")
        }
    }

    func finish() {
        if json {
            var line = JSONWriter()
            line.add("type", "summary")
            line.add("seen", checked)
            line.add("equal", equal)
            line.add("missing", missing)
            line.add("differs", different)
            line.add("unknown", unknown)
            line.add("exit", Int(exit.rawValue))
            console.out(line.finished)
        } else {
            let untold = unknown > 0 ? ", \(unknown) unknown: their targets cannot tell or were not asked" : ""
            console.out(
                "\(Describe.count(checked, "copy", "copies")): \(equal) equal, \(different) different, \(missing) missing\(untold)"
            )
        }
    }
}
