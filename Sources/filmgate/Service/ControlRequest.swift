import FilmgateCore

/// A job that is handed over: a command line, the folder that its paths start from, and the lines of its standard input
/// where it has read that.
struct ControlRequest: Sendable {
    var arguments: [String], folder: String, input: [String]?

    init(arguments: [String], folder: String, input: [String]? = nil) {
        (self.arguments, self.folder, self.input) = (arguments, folder, input)
    }

    init?(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)), let items = object["arguments"]?.items,
            let arguments = object["arguments"]?.texts,
            arguments.count == items.count, let folder = object["folder"]?.string, folder.hasPrefix("/")
        else { return nil }
        (self.arguments, self.folder, input) = (arguments, folder, object["input"]?.texts)
    }

    var line: String {
        var object = JSONWriter()
        object.add("arguments", arguments)
        object.add("folder", folder)
        if let input { object.add("input", input) }
        return object.finished
    }
}

/// What is answered: that the job was taken, words for either stream, then the exit code.
enum ControlAnswer {
    static var here: String {
        var object = JSONWriter()
        object.add("here", true)
        return object.finished
    }

    static func out(_ line: String) -> String { one("out", line) }
    static func err(_ line: String) -> String { one("err", line) }

    static func exit(_ code: Int32) -> String {
        var object = JSONWriter()
        object.add("exit", Int(code))
        return object.finished
    }

    private static func one(_ key: String, _ line: String) -> String {
        var object = JSONWriter()
        object.add(key, line)
        return object.finished
    }
}

/// A wish to be told of changes, and what is known of them already.
struct WatchRequest: Sendable {
    /// Of the run whose numbers these are; "" for who knows nothing.
    var instance = ""
    var since: Int64 = 0

    init() {}

    /// Nil for a line that asks for something else.
    init?(_ line: String) {
        guard let watch = JSONValue(Array(line.utf8))?["watch"], watch.members != nil else { return nil }
        (instance, since) = (watch["instance"]?.string ?? "", watch["since"]?.whole ?? 0)
    }

    var line: String {
        var object = JSONWriter()
        object.add("watch") { watch in
            watch.add("instance", instance)
            watch.add("since", Int(since))
        }
        return object.finished
    }
}

/// What those who watch are told, a line each.
enum WatchAnswer: Sendable, Equatable {
    /// The first line: whose numbers follow, and after which of them. What came before that has to be read elsewhere
    /// when `isGap`.
    case hello(instance: String, number: Int64, isGap: Bool)
    /// `value`: a whole JSON object, the latest of its key; `at`: nanoseconds since 1970.
    case change(number: Int64, at: Int64, key: String, value: String)
    /// Changes were lost; everything has to be read anew.
    case gap(number: Int64)
    /// Nothing happened for some seconds.
    case alive

    var line: String {
        var object = JSONWriter()
        switch self {
        case .hello(let instance, let number, let isGap):
            object.add("hello", instance)
            object.add("number", Int(number))
            object.add("gap", isGap)
        case .change(let number, let at, let key, let value):
            object.add("number", Int(number))
            object.add("at", Int(at))
            object.add("key", key)
            // A value is an object that was written already: the line goes on with it.
            return object.finished.dropLast() + ",\"change\":" + value + "}"
        case .gap(let number):
            object.add("gap", true)
            object.add("number", Int(number))
        case .alive: object.add("alive", true)
        }
        return object.finished
    }

    init?(_ line: String) {
        guard let object = JSONValue(Array(line.utf8)) else { return nil }
        let number = object["number"]?.whole ?? 0
        if let instance = object["hello"]?.string {
            self = .hello(instance: instance, number: number, isGap: object["gap"]?.flag ?? false)
        } else if let key = object["key"]?.string, let value = object["change"] {
            self = .change(number: number, at: object["at"]?.whole ?? 0, key: key, value: value.serialized)
        } else if object["gap"]?.flag == true {
            self = .gap(number: number)
        } else if object["alive"]?.flag == true {
            self = .alive
        } else {
            return nil
        }
    }
}
