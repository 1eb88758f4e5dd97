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
    }

    /// Lines for people that are kept, the longest of them, and objects that are kept.
    static let mostLines = 20, longestLine = 2000, mostObjects = 500
    /// No object is longer, and all of one job together.
    static let longestObject = 64 << 10, mostBytes = 1 << 20

    let id: String, order: Order
    /// Who asked: a session or token, by its name.
    let by: String
    let started: Int64
    private(set) var state = State.running, ended: Int64?, exit: Int?
    /// Files by what became of them, or would.
    private(set) var counts: [String: Int] = [:]
    private(set) var lines: [String] = []
    /// What is no file that went well: errors, diagnostics, findings, and files that wait or were set aside.
    private(set) var objects: [JSONValue] = []
    private(set) var digests: Set<String> = []
    /// The last object that it wrote.
    private(set) var result: JSONValue?
    private var bytes = 0

    init(id: String, order: Order, by: String, at time: Int64) {
        (self.id, self.order, self.by, started) = (id, order, by, time)
    }

    var files: Int { counts.values.reduce(0, +) }

    /// A line of its standard output.
    mutating func hear(object line: [UInt8]) {
        guard let object = JSONValue(line), object.members != nil else { return }
        result = line.count <= Self.longestObject ? object : nil
        let word = (object["ending"] ?? object["would"] ?? object["proof"] ?? object["state"])?.string
        switch object["type"]?.string {
        case "item", "plan":
            counts[word ?? "unknown", default: 0] += 1
            if let sha256 = object["sha256"]?.string { digests.insert(sha256) }
            if ["pending", "setAside", "not_proven", "removed", "held", "failed"].contains(word) {
                keep(object, line.count)
            }
        case "summary", "run": break
        default: keep(object, line.count)
        }
    }

    /// A line of its standard error.
    mutating func hear(words: String) {
        lines.append(words.count > Self.longestLine ? String(words.prefix(Self.longestLine)) + " …" : words)
        if lines.count > Self.mostLines { lines.removeFirst(lines.count - Self.mostLines) }
    }

    private mutating func keep(_ object: JSONValue, _ size: Int) {
        guard objects.count < Self.mostObjects, bytes + size <= Self.mostBytes, size <= Self.longestObject else {
            return
        }
        objects.append(object)
        bytes += size
    }

    /// `code`: of the command, whose meaning is that of its exit codes.
    mutating func end(_ code: Int, wasStopped: Bool, at time: Int64) {
        (state, exit, ended) = (wasStopped ? .stopped : .ended, code, time)
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
        let error = objects.last { $0["type"]?.string == "error" }
        return (error?["message"]?.string ?? lines.last).map(AddressMask.hidden)
    }

    /// With everything that is known of it.
    var details: JSONValue {
        var members = JSONValue(object.finishedBytes)?.members ?? JSONObject()
        members["lines"] = .array(lines.map { .string(AddressMask.hidden($0)) })
        members["objects"] = .array(objects)
        members["result"] = result ?? .null
        return .object(members)
    }
}

extension JSONWriter {
    fileprivate var finishedBytes: [UInt8] { Array(finished.utf8) }
}
