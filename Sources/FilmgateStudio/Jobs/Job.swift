import FilmgateCore

/// A command that somebody asked for on the page: what it said so far, and how it ended.
struct Job: Sendable {
    enum State: String, Sendable, CaseIterable {
        case running, ended
        /// Somebody asked it to end before it had.
        case stopped
    }
    /// What is asked for.
    struct Order: Sendable, Equatable {
        /// For people and programs, such as `retry` or `events use`.
        var verb: String
        /// What it is about, such as a target's name or a card's path; "" for everything.
        var about = ""
        /// The words of the command behind the program's name.
        var words: [String]
        /// Two jobs with the same one do not run at once.
        var exclusive: String?
        /// What the command reads from its standard input; nil for one that reads nothing.
        var input: JobInput?

        /// The command is begun several times, each for other files.
        var isInParts: Bool { (input?.count ?? 0) > 1 }
        /// What it tells of each file is looked after when it has ended.
        var isProof: Bool { verb == "safe-to-format" }
    }

    /// Lines for people that are kept, the longest of them, and objects that are kept.
    static let mostLines = 20, longestLine = 2000, mostObjects = 500
    /// No object is longer, and all of one job together; and what of the last one is kept when many jobs said much.
    static let longestObject = 64 << 10, mostBytes = 1 << 20, longestLeft = 4096

    let id: String, order: Order
    /// Who asked: a session or token, by its name.
    let by: String
    let started: Int64
    private(set) var state = State.running, ended: Int64?, exit: Int?
    /// Files by what became of them, or would.
    private(set) var counts: [String: Int] = [:]
    private(set) var lines: [String] = []
    /// Objects as they were written: as values they would take several times as much.
    private var kept: [[UInt8]] = [], last: [UInt8]?
    /// Of the summaries of its parts.
    private var sum: JSONObject?
    /// What a proof rests on, until it has ended: the files' bytes, and what it named beside them.
    private(set) var digests = DigestList(), copies = NamedCopies()
    /// Of its last error.
    private var failure: String?
    private var bytes = 0
    /// What it said in detail is not kept any more.
    private(set) var isShortened = false

    /// Of what the command reads only the mark is kept.
    init(id: String, order: Order, by: String, at time: Int64) {
        var order = order
        order.input?.forget()
        (self.id, self.order, self.by, started) = (id, order, by, time)
    }

    var files: Int { counts.values.reduce(0, +) }
    /// What is no file that went well: errors, diagnostics, findings, and files that wait or were set aside.
    var objects: [JSONValue] { kept.compactMap { JSONValue($0) } }
    /// The last object that it wrote; a summary is that of all its parts.
    var result: JSONValue? {
        guard let object = last.flatMap({ JSONValue($0) }) else { return nil }
        if let sum, object["type"]?.string == "summary" { return .object(sum) }
        return object
    }
    /// Bytes of all that it said and that is kept.
    var size: Int { bytes + (last?.count ?? 0) + lines.reduce(0) { $0 + $1.utf8.count } }

    /// A line of its standard output.
    mutating func hear(object line: [UInt8]) {
        guard let object = JSONValue(line), object.members != nil else { return }
        last = line.count <= Self.longestObject ? line : nil
        let word = (object["ending"] ?? object["would"] ?? object["proof"] ?? object["state"])?.string
        switch object["type"]?.string {
        case "item", "plan":
            counts[word ?? "unknown", default: 0] += 1
            if order.isProof { hear(proof: object) }
            if ["pending", "setAside", "not_proven", "removed", "held", "failed"].contains(word) {
                keep(line)
            }
        case "summary": if order.isInParts, let part = object.members { add(part) }
        case "run": break
        default:
            keep(line)
            if object["type"]?.string == "error", let words = object["message"]?.string { failure = Self.cut(words) }
        }
    }

    /// How the parts ended is no number to add: the worst of them counts.
    private mutating func add(_ part: JSONObject) {
        guard var sum else { return sum = part }
        for (key, value) in part {
            guard let before = sum[key] else {
                sum[key] = value
                continue
            }
            if key == "exit" {
                sum[key] = Self.worse(before, value)
            } else if let one = before.whole, let other = value.whole {
                sum[key] = .integer(one + other)
            } else if let one = before.real, let other = value.real {
                sum[key] = .number(one + other)
            }
        }
        self.sum = sum
    }

    private static func worse(_ one: JSONValue, _ other: JSONValue) -> JSONValue {
        guard let first = one.whole, let second = other.whole else { return other }
        return .integer(Int64(worse(Int(clamping: first), Int(clamping: second))))
    }

    /// Of two exit codes the one that a command with both reasons ends with.
    ///
    /// Other codes are of commands that did not get so far, and stand before all; there being nothing to do is the
    /// whole's only where no part did anything.
    static func worse(_ one: Int, _ other: Int) -> Int {
        let place = { (code: Int) in ranks.firstIndex(of: code) ?? -1 }
        return place(one) <= place(other) ? one : other
    }
    /// As the outcome of a run has it.
    private static let ranks = [1, 6, 7, 4, 5, 3, 8, 0, 9]

    private mutating func hear(proof object: JSONValue) {
        if let sha256 = object["sha256"]?.string { digests.add(sha256) }
        copies.hear(object)
    }

    /// A line of its standard error.
    mutating func hear(words: String) {
        lines.append(Self.cut(words))
        if lines.count > Self.mostLines { lines.removeFirst(lines.count - Self.mostLines) }
    }

    private static func cut(_ words: String) -> String {
        words.count > longestLine ? String(words.prefix(longestLine)) + " …" : words
    }

    private mutating func keep(_ line: [UInt8]) {
        guard kept.count < Self.mostObjects, bytes + line.count <= Self.mostBytes, line.count <= Self.longestObject
        else {
            return
        }
        kept.append(line)
        bytes += line.count
    }

    /// `code`: of the command, whose meaning is that of its exit codes.
    mutating func end(_ code: Int, wasStopped: Bool, at time: Int64) {
        (state, exit, ended) = (wasStopped ? .stopped : .ended, code, time)
        digests.settle()
    }

    /// Whoever looks after the proof has what it rests on.
    mutating func forgetProof() { (digests, copies) = (DigestList(), NamedCopies()) }

    /// Leaves what lists show of it, and what it said last.
    mutating func shorten() {
        (kept, bytes, isShortened) = ([], 0, true)
        lines = Array(lines.suffix(1))
        if let last, last.count > Self.longestLeft { self.last = nil }
    }

    /// As lists and the stream have it.
    var object: JSONWriter {
        var object = JSONWriter()
        object.add("type", "job")
        object.add("id", id)
        object.add("verb", order.verb)
        object.add("about", order.about)
        object.add("by", by)
        object.add("state", state.rawValue)
        object.add("exit", exit)
        object.add("started", StudioAPI.time(started))
        object.add("ended", StudioAPI.time(ended))
        object.add("files", files)
        object.add("counts") { all in
            for (word, count) in counts.sorted(by: { $0.key < $1.key }) { all.add(word, count) }
        }
        object.add("message", message)
        return object
    }

    /// What went wrong in its own words, or what it said last.
    private var message: String? {
        (failure ?? lines.last).map(AddressMask.hidden)
    }

    /// With everything that is known of it.
    var details: JSONValue {
        var members = JSONValue(object.finishedBytes)?.members ?? JSONObject()
        let left = isShortened ? lines + [Self.shortened] : lines
        members["lines"] = .array(left.map { .string(AddressMask.hidden($0)) })
        members["objects"] = .array(objects)
        members["result"] = result ?? .null
        return .object(members)
    }
    private static let shortened = "What else it said is not kept any more: jobs after it said much."
}

extension JSONWriter {
    fileprivate var finishedBytes: [UInt8] { Array(finished.utf8) }
}
