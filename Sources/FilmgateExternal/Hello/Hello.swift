import FilmgateCore
import HTTPKit

/// A child's first line: what it is, and which options it takes.
struct Hello: Sendable {
    static let version: Int64 = 1

    let kind: ModuleKind
    let manifest: Manifest
    let fields: [OptionField]
    /// How long it may say nothing while it is at work.
    let silence: Duration
    /// Options for trying it out; `{scratch}` in a text stands for an empty folder.
    let test: JSONObject

    /// `misconfigured`, in words for its author, when it is not as the protocol wants it.
    init(_ line: JSONValue, name: String) throws(IngestError) {
        func wrong(_ what: String) -> IngestError {
            IngestError(.misconfigured, "The module `\(name)` sent an invalid hello: \(Reported.shown(what)).")
        }
        guard let hello = line["hello"], hello.members != nil else { throw wrong("its first line is no hello") }
        guard hello["protocol"]?.whole == Self.version else {
            throw wrong("it speaks protocol \(hello["protocol"]?.text ?? "?"), and this program speaks \(Self.version)")
        }
        let kind = hello["kind"]?.string.flatMap { ModuleKind(rawValue: $0) }
        // A catalogue keeps one connection and many promises about time: no protocol of lines has those.
        guard let kind, kind != .catalog else { throw wrong("its kind is unknown") }
        guard let own = hello["manifest"], own["name"]?.string == name else {
            throw wrong("it does not give its name, `\(name)`")
        }
        guard let summary = own["summary"]?.string.map(Reported.shown), !summary.isEmpty else {
            throw wrong("it has no summary")
        }
        let needs = try Self.facts(own["needs"]) { wrong("it needs `\($0)`, which is no fact") }
        let gives = try Self.facts(own["gives"]) { wrong("it gives `\($0)`, which is no fact") }
        let stability = own["stability"]?.string ?? Stability.experimental.rawValue
        guard let stability = Stability(rawValue: stability) else { throw wrong("its stability is `\(stability)`") }
        self.kind = kind
        manifest = Manifest(name, summary, stability: stability, needs: needs, gives: gives)
        do throws(OptionField.Fault) { fields = try OptionField.list(hello["fields"] ?? .array([])) } catch {
            throw wrong(error.words)
        }
        silence = .milliseconds(Int64(min(max(hello["silence"]?.real ?? 120, 1), 86_400) * 1000))
        test = hello["test"]?.members ?? [:]
    }

    private static func facts(_ value: JSONValue?, _ wrong: (String) -> IngestError) throws(IngestError) -> Set<Fact> {
        var facts: Set<Fact> = []
        for word in value?.texts ?? [] {
            guard let fact = Fact(rawValue: word) else { throw wrong(word) }
            facts.insert(fact)
        }
        return facts
    }

    /// Starts the program for its first line, and lets it go.
    ///
    /// Blocks, for `Worker.greeting` at most.
    static func of(_ program: ModuleProgram) throws(IngestError) -> Hello {
        let channel = try LineChannel(program.path, name: program.name)
        defer { channel.end(patience: 100) }
        return try Hello(try channel.receive(within: Worker.greeting, StopFlag()), name: program.name)
    }
}
