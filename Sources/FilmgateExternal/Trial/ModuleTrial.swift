public import FilmgateCore
import HTTPKit

/// A module's program on the bench: how it keeps to the protocol, and what it needs to be tried out.
public struct ModuleTrial: Sendable {
    public let entry: ModuleEntry
    private let program: ModuleProgram, hello: Hello

    /// Starts the program for its hello.
    ///
    /// Blocks. `misconfigured` when it is none, or introduces itself wrongly.
    public init(path: String) throws(IngestError) {
        program = try ModuleProgram(path)
        hello = try Hello.of(program)
        entry = try ExternalModule.entry(program)
    }

    /// True when it has a secret among its options, so that rules about secrets apply.
    public var hasSecret: Bool { entry.fields.contains { $0.kind == .secret } }

    /// The options that its hello gives for tests, `{scratch}` filled in.
    public func options(scratch: String) -> ConfigNode { Self.node(.object(hello.test), scratch) }

    /// How many copies of these bytes the place holds, as the module says; nil when it does not know the question.
    public func copies(of sha256: String, _ options: ConfigNode, _ context: ModuleContext) async throws(IngestError)
        -> Int?
    {
        var errors: [ConfigError] = []
        let children = try Use(program, hello, options, context, &errors).children()
        let answer = try await children.ask(Request(verb: "copies", arguments: ["sha256": .string(sha256)]))
        await children.close()
        return answer?["copies"]?.whole.flatMap { Int(exactly: $0) }
    }

    private static func node(_ value: JSONValue, _ scratch: String) -> ConfigNode {
        switch value {
        case .null: ConfigNode(.null)
        case .bool, .integer, .number: ConfigNode(.scalar(value.text ?? "", quoted: false))
        case .string(let text): ConfigNode(.scalar(text.replacing("{scratch}", with: scratch), quoted: false))
        case .array(let items): ConfigNode(.list(items.map { node($0, scratch) }))
        case .object(let members):
            ConfigNode(
                .map(
                    members.sorted { $0.key < $1.key }.map {
                        ConfigNode.Pair(ConfigNode.Key($0.key, Mark()), node($0.value, scratch))
                    }))
        }
    }
}

extension ModuleTrial {
    /// Rules of the protocol itself, each with its name; a broken one throws.
    public var rules: [(name: String, run: @Sendable (ConfigNode, ModuleContext) throws(IngestError) -> Void)] {
        [
            ("says the same of itself each time", { _, _ throws(IngestError) in try repeats() }),
            ("takes its options, twice the same way", configures),
            ("says so when it does not know a request", refusesTheUnknown),
            ("answers after a line that it cannot read, or ends", survivesNonsense),
            ("ends when its input ends", endsWithItsInput),
        ]
    }

    private func repeats() throws(IngestError) {
        let again = try Hello.of(program)
        guard again.kind == hello.kind, again.manifest == hello.manifest,
            again.fields.map(\.description) == hello.fields.map(\.description)
        else { throw broken("Its second hello was not like its first.") }
    }

    private func configures(_ options: ConfigNode, _ context: ModuleContext) throws(IngestError) {
        let (first, one) = try configured(options, context), (second, two) = try configured(options, context)
        for worker in [one, two] { worker.channel.end(patience: 100) }
        guard first == second else { throw broken("It described itself differently the second time.") }
    }

    private func refusesTheUnknown(_ options: ConfigNode, _ context: ModuleContext) throws(IngestError) {
        let (_, worker) = try configured(options, context)
        defer { worker.channel.end(patience: 100) }
        worker.begin(Request(verb: "no-such-request"))
        guard case .unsupported = try worker.hear(StopFlag(), within: Worker.greeting) else {
            throw broken("It answered a request that does not exist.")
        }
    }

    private func survivesNonsense(_ options: ConfigNode, _ context: ModuleContext) throws(IngestError) {
        let (_, worker) = try configured(options, context)
        defer { worker.channel.end(patience: 100) }
        worker.channel.send(.string("this is no request"))
        worker.begin(Request(verb: "no-such-request"))
        do throws(IngestError) { _ = try worker.hear(StopFlag(), within: Worker.greeting) } catch {
            guard error.message.contains("ended") && !error.message.contains("said nothing") else { throw error }
        }
    }

    private func endsWithItsInput(_ options: ConfigNode, _ context: ModuleContext) throws(IngestError) {
        let (_, worker) = try configured(options, context)
        let how = worker.channel.end(patience: 300)
        guard !how.contains("signal 9") else { throw broken("It went on for three seconds after its input had ended.") }
    }

    private func configured(_ options: ConfigNode, _ context: ModuleContext) throws(IngestError) -> (JSONValue, Worker)
    {
        var errors: [ConfigError] = []
        let setup = try Use(program, hello, options, context, &errors).setup
        let channel = try LineChannel(program.path, name: program.name)
        _ = try Hello(try channel.receive(within: Worker.greeting, StopFlag()), name: program.name)
        let worker = Worker(channel, silence: hello.silence)
        worker.begin(setup.configure)
        switch try worker.hear(StopFlag(), within: Worker.greeting) {
        case .done(let traits): return (traits, worker)
        case .failed(let error): throw error
        case .unsupported, .question: throw broken("It does not take its options.")
        }
    }

    private func broken(_ what: String) -> IngestError { IngestError(.protocolViolation, what) }
}
