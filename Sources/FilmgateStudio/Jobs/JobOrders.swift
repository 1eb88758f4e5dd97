import FilmgateCore

/// The commands that the page may ask for: fixed words, with what people typed behind `=` or `--`, where nothing is an
/// option.
enum JobOrders {
    /// `only`: these files alone, by their SHA-256; nil = all that waits.
    static func retry(target: String?, failed: Bool, only: JobInput? = nil) -> Job.Order {
        let words = (target.map { ["--target=\($0)"] } ?? []) + (failed ? ["--failed"] : [])
        var order = Job.Order(verb: "retry", about: target ?? "", words: words, exclusive: "retry \(target ?? "")")
        guard let only else { return order }
        order.read(only, behind: [])
        // Nothing is sent twice, whoever asks for it: other files may be sent again meanwhile.
        order.exclusive = [order.exclusive, order.input?.mark].compactMap(\.self).joined(separator: " ")
        return order
    }

    static func cancel(target: String, file: String?) -> Job.Order {
        Job.Order(
            verb: "cancel", about: target, words: ["--yes", "--target=\(target)"] + (file.map { ["--", $0] } ?? []))
    }

    /// One at a time, whichever files it is for: of two at once it would be chance which event a file gets.
    ///
    /// `only`: as for `retry`.
    static func assign(event: String, target: String?, only: JobInput? = nil) -> Job.Order {
        let words = target.map { ["--target=\($0)"] } ?? []
        var order = Job.Order(verb: "assign", about: event, words: words, exclusive: "assign")
        if let only { order.read(only, behind: [event]) } else { order.words += ["--", event] }
        return order
    }

    static func use(event: String, now: Bool) -> Job.Order {
        Job.Order(
            verb: "events use", about: event, words: (now ? ["--now"] : []) + ["--", event], exclusive: "events use")
    }

    static func events(pipeline: String?) -> Job.Order {
        Job.Order(verb: "events list", words: ["--refresh"] + behind(pipeline), exclusive: "events list")
    }

    /// `plan` or `import` of a card.
    static func take(_ verb: String, card: String, pipeline: String) -> Job.Order {
        Job.Order(verb: verb, about: card, words: ["--pipeline=\(pipeline)", "--", card], exclusive: "\(verb) \(card)")
    }

    static func prove(card: String, pipeline: String?) -> Job.Order {
        Job.Order(
            verb: "safe-to-format", about: card, words: (pipeline.map { ["--pipeline=\($0)"] } ?? []) + ["--", card],
            exclusive: "safe-to-format \(card)")
    }

    static func check(pipeline: String) -> Job.Order {
        Job.Order(verb: "check", about: pipeline, words: ["--", pipeline], exclusive: "check")
    }

    /// What holds for a camera: for one whose make has no comma, behind which the model follows.
    static func profile(_ camera: MediaFacts, pipeline: String) -> Job.Order {
        let told = [camera.serial.map { "--serial=\($0)" }, camera.owner.map { "--owner=\($0)" }].compactMap(\.self)
        let name = [camera.make ?? "", camera.model ?? ""].joined(separator: ", ")
        return Job.Order(verb: "profile show", about: name, words: ["--pipeline=\(pipeline)"] + told + ["--", name])
    }

    static func doctor(pipeline: String?) -> Job.Order {
        Job.Order(verb: "doctor", words: pipeline.map { ["--pipeline=\($0)"] } ?? [], exclusive: "doctor")
    }

    static func accounts(pipeline: String?) -> Job.Order {
        Job.Order(verb: "whoami", words: pipeline.map { ["--pipeline=\($0)"] } ?? [], exclusive: "whoami")
    }

    /// The page shows the address; nothing is opened on this machine.
    static func login(account: String, pipeline: String?) -> Job.Order {
        Job.Order(
            verb: "login", about: account,
            words: ["--no-browser"] + (pipeline.map { ["--pipeline=\($0)"] } ?? []) + ["--", account],
            exclusive: "login \(account)")
    }

    static func logout(account: String, pipeline: String?) -> Job.Order {
        Job.Order(
            verb: "logout", about: account, words: (pipeline.map { ["--pipeline=\($0)"] } ?? []) + ["--", account],
            exclusive: "logout \(account)")
    }

    /// `pause` or `resume`.
    static func taking(_ on: Bool) -> Job.Order {
        Job.Order(verb: on ? "resume" : "pause", words: [], exclusive: "pause")
    }

    /// This station's standing and all others; done by a run that goes on, which has the secrets.
    static func stations(pipeline: String?) -> Job.Order {
        Job.Order(verb: "catalog status", words: byRun(pipeline))
    }

    /// Who has the bytes with that digest.
    static func copies(sha256: String, pipeline: String?) -> Job.Order {
        Job.Order(verb: "catalog where", about: sha256, words: byRun(pipeline) + ["--", sha256])
    }

    private static func byRun(_ pipeline: String?) -> [String] {
        ["--by-run"] + (pipeline.map { ["--pipeline=\($0)"] } ?? [])
    }

    private static func behind(_ positional: String?) -> [String] { positional.map { ["--", $0] } ?? [] }
}

extension Job.Order {
    /// Has the command read the names of some files from its standard input: of very many its words would be too long.
    fileprivate mutating func read(_ names: JobInput, behind first: [String]) {
        words += ["--"] + first + ["-"]
        input = names
    }
}
