import AuthKit
import FileKit
import FilmgateConfig
import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import FilmgateLedger
import Glibc
import Logging
import PTPKit

/// What most verbs need: the registry, the pipeline, the ledger.
struct CommandContext {
    let options: CommonOptions
    /// Who called the verb, from where.
    var invocation: Invocation
    /// The state directory, absolute.
    let state: String
    let registry: ModuleRegistry
    /// Modules that are programs.
    let programs = ModuleFinder()
    /// What camera modules are given to look at.
    var buses: [any CameraBus] = [USBCameraBus()]
    private(set) var connections = CameraConnections()
    private(set) var finder: CameraFinder
    /// A plan writes nothing, not even what it found out about cameras.
    private(set) var keepsNothing = false
    /// The secret store; asks at the terminal where a passphrase protects it.
    let vault: Vault

    init(_ options: CommonOptions, _ invocation: Invocation) throws {
        let state = options.stateDirectory(from: invocation.paths)
        (self.options, self.invocation, self.state) = (options, invocation, state)
        finder = CameraFinder(state: state)
        vault = Vault(
            directory: state,
            gate: PassphraseSource { () throws(IngestError) in
                Terminal.isThere
                    ? Terminal.line("Passphrase of the secret store", hidden: true).map { SecretValue($0) } : nil
            })
        do throws(IngestError) { registry = try Modules.registry(programs) } catch {
            throw Self.end(error, options, invocation.console)
        }
    }

    /// Where the verb's words go.
    var console: Console { invocation.console }

    /// What is logged goes where the verb's words go.
    var logger: Logger { options.logger(console) }

    /// The same for modules; of a job that nobody asked for, whose words nobody hears, it is said by this process.
    private var moduleLogger: Logger { options.logger(invocation.isAskedFor ? console : .own) }

    /// From now on what is said with cameras is shown as `--trace` asks for it; nothing changes without it.
    mutating func trace(_ trace: TraceOptions) throws {
        guard let target = trace.trace else { return }
        let sheet: CameraTrace, state = state
        do throws(IngestError) { sheet = try CameraTrace(target, invocation) } catch { throw end(error) }
        connections = CameraConnections(observer: { sheet.observer(at: $0, state: state) })
    }

    /// From now on nothing is kept: not who we are to cameras, not where they were found.
    mutating func keepNothing() {
        keepsNothing = true
        finder = CameraFinder(state: state, keeps: false)
    }

    /// What camera modules are given besides the buses.
    var cameraServices: [any Sendable] {
        let services: [any Sendable] = [connections, finder]
        return keepsNothing ? services + [WritesNothing()] : services
    }

    /// Tells the error and gives back what ends the verb with its code.
    static func end(_ error: IngestError, _ options: CommonOptions, _ console: Console) -> Exit {
        console.tell(error, json: options.json)
        return Exit(Failure.exitCode(error))
    }

    func end(_ error: IngestError) -> Exit { Self.end(error, options, console) }

    /// The words are sound, but what they name is not there: for people as for programs, and without usage.
    func refuse(_ message: String) -> Exit {
        if options.json { console.tell(IngestError(.misconfigured, message), json: false) }
        return end(IngestError(.misconfigured, message))
    }

    /// Runs `body`; an `IngestError` is told and ends the verb.
    func telling<Value>(_ body: () async throws(IngestError) -> Value) async throws -> Value {
        do throws(IngestError) { return try await body() } catch { throw end(error) }
    }

    func loader(overrides: [Override] = []) -> PipelineLoader {
        var loader = PipelineLoader(
            registry: registry, reader: YAMLReader(), includeDirectories: Self.profileDirectories, overrides: overrides)
        loader.lastProfiles = MeasuredClocks(state: state).path
        return loader
    }

    /// Reads and checks a pipeline file; prints what is wrong with it and ends with 78.
    func load(_ path: String, overrides: [Override] = []) throws -> PipelineFile {
        try checked(loader(overrides: overrides).load(path: invocation.paths.opened(path)))
    }

    /// Prints diagnostics; ends with 78 when there is an error among them.
    func checked(_ loaded: LoadedPipeline) throws -> PipelineFile {
        for diagnostic in loaded.diagnostics where diagnostic.severity == .error || options.verbose > 0 {
            if options.json {
                console.out(DiagnosticLine.json(diagnostic))
            } else {
                console.err(DiagnosticLine.human(diagnostic, loaded))
            }
        }
        guard let pipeline = loaded.pipeline else { throw Exit(.invalidPipeline) }
        return pipeline
    }

    /// Opens the ledger for writing.
    ///
    /// While a run holds the state, the whole verb is handed to it and this process ends with its code; `stateLocked`
    /// ends with 10 when none answers, or when `handingOver` is false. Two seconds are waited for a holder to let go: a
    /// process that was killed just now, or a command that is over in a moment, needs no second try by a person.
    func openLedger(handingOver: Bool = true) async throws -> SQLiteLedger {
        if let job = invocation.job {
            guard handingOver else { throw Exit(.stateLocked) }
            return job.services.ledger
        }
        let begun = ContinuousClock.now, end = begun + .seconds(2)
        var next = begun
        while true {
            do throws(IngestError) {
                let ledger = try SQLiteLedger.open(directory: state)
                warnOfOthers()
                return ledger
            } catch {
                guard error.code == .stateLocked else { throw self.end(error) }
                // A run that takes no commands says so each time that it is asked.
                if handingOver, ContinuousClock.now >= next {
                    try handOver()
                    next = ContinuousClock.now + .milliseconds(500)
                }
                guard ContinuousClock.now < end else {
                    throw self.end(handingOver ? Self.unanswered(error) : error)
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Throws the exit code of the run that did this command; returns where none answers.
    private func handOver() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let code = ControlClient.handOver(arguments, state: state, invocation) else { return }
        throw Exit(ExitStatus(rawValue: code) ?? .failure)
    }

    /// Whoever may write there can put other files in the place of the ledger and of the secrets.
    private func warnOfOthers() {
        guard let facts = try? FileFacts.of(state), facts.mode & 0o022 != 0 else { return }
        let mode = String(facts.mode & 0o777, radix: 8)
        console.err(
            "warning: others on this machine may write into the state directory \(state) (mode \(mode)): chmod 700 \(state)"
        )
    }

    /// Somebody holds the state, and does not take the job.
    private static func unanswered(_ error: IngestError) -> IngestError {
        IngestError(
            .stateLocked, "\(error.message) It takes no other commands, so this one cannot run now.",
            advice:
                "Wait until it has ended, as an import does by itself. If it hangs, or was suspended, end it: nothing is lost by that.",
            cause: error)
    }

    /// Lets go of what `openLedger` gave, unless a run lent it.
    func close(_ ledger: SQLiteLedger?) { if invocation.job == nil { ledger?.close() } }

    /// Makes the state directory, for what has to be kept before there is a ledger.
    func makeState() throws(IngestError) { try DurableFile.makeDirectories(state, mode: 0o700) }

    /// The reading half: never locks, creates nothing.
    ///
    /// A state that may not be looked at is none that is empty; nor, for verbs that only tell (`mustExist`), is one
    /// that was named and is not there.
    func readLedger(mustExist: Bool = false) async throws -> any LedgerReader {
        try await telling { () throws(IngestError) in
            try StateAccess(state, options).check(mustExist: mustExist)
            return try SQLiteLedger.reader(directory: state)
        }
    }

    /// Looks secrets up where they stand.
    var secrets: any SecretResolver {
        let own = VaultSecrets(SystemSecrets(), vault)
        return invocation.job == nil ? own : HostedSecrets(own: own)
    }

    func builder(ledger: (any LedgerReader)?, event: String? = nil) -> PlanBuilder {
        var builder = PlanBuilder(
            registry: registry, secrets: secrets, ledger: ledger, logger: moduleLogger, state: state, event: event)
        builder.eventIDs = event.map { EventIDs(state: state).ids(of: $0) } ?? [:]
        builder.services =
            cameraServices + [vault] + buses.map { $0 as any Sendable } + Modules.makerNotes.map { $0 as any Sendable }
        builder.services += Modules.shared
        return builder
    }

    /// The targets of these pipelines, to be asked about what was delivered to them, for whatever event.
    func proofTargets(_ pipelines: [PipelineFile], ledger: any LedgerReader) throws(IngestError) -> ProofTargets {
        let builder = builder(ledger: ledger), state = state
        let files = pipelines.map { pipeline in
            var targets = pipeline
            targets.sources = []
            return targets
        }
        return try ProofTargets { event throws(IngestError) in
            var builder = builder
            (builder.event, builder.eventIDs) = (event, event.map { EventIDs(state: state).ids(of: $0) } ?? [:])
            var plans: [Plan] = []
            for file in files { plans.append(try builder.plan(file)) }
            return plans
        }
    }

    /// Lets the pipeline's camera modules know each other's order.
    func ordering(_ sources: [ModuleUse], _ builder: PlanBuilder) throws(IngestError) -> PlanBuilder {
        let matchers = try CameraMatcher.all(self)
        func candidates(_ isLooking: (ConfigNode) -> Bool) -> [CameraOrder.Candidate] {
            sources.filter { isLooking($0.node) }.compactMap { use in matchers.first { $0.name == use.module } }.map {
                matcher in
                (matcher.name, { @Sendable in matcher.match($0, $1) != nil } as CameraOrder.Fits)
            }
        }
        let bus = candidates { $0["usb"]?.value != .scalar("false", quoted: false) }
        let network = candidates { node in (node["hosts"].flatMap { try? CameraHosts(node: $0) })?.isAuto == true }
        var builder = builder
        let all = matchers.map { matcher in
            (matcher.name, { @Sendable in matcher.match($0, $1) != nil } as CameraOrder.Fits)
        }
        let hosts = sources.flatMap { use in use.node["hosts"].flatMap { try? CameraHosts(node: $0) }?.given ?? [] }
        builder.services.append(CameraOrder(bus: bus, network: network, all: all, hosts: hosts))
        return builder
    }

    /// Where shipped profiles lie: beside an installed program, or in the source tree that it was built in; wherever it
    /// is started.
    static var profileDirectories: [String] {
        var directories = ["/usr/share/filmgate/profiles", "/usr/local/share/filmgate/profiles"]
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        if count > 0 {
            let program = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folders = program.split(separator: "/").dropLast()
            directories.insert("/\(folders.dropLast().joined(separator: "/"))/share/filmgate/profiles", at: 0)
            // `.build/debug/filmgate` and its like.
            for depth in 2...4 where depth <= folders.count {
                let source = "/" + folders.dropLast(depth).joined(separator: "/")
                if access(source + "/Package.swift", F_OK) == 0 {
                    directories.insert(source + "/pipelines/profiles", at: 0)
                }
            }
        }
        return directories
    }
}
