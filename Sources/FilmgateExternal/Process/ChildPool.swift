import FilmgateCore
import HTTPKit
import Logging
import Synchronization

/// The children of one use of a module: as many as work at once, started when they are needed, and again after a crash.
///
/// May be asked from many tasks at once; each child has one request at a time.
final class ChildPool: Sendable {
    private struct State {
        var idle: [Worker] = []
        /// Ends without an answer, in a row.
        var failures = 0
        var notBefore: ContinuousClock.Instant?
        var generation = 0
        var secrets: [String: SecretValue] = [:]
        var hidden = HiddenWords()
        var traits: JSONValue?
    }
    let setup: Setup
    private let resolver: any SecretResolver
    private let logger: Logger
    private let slots: ByteBudget, pool: BlockingPool
    private let state = Mutex(State())

    init(_ setup: Setup, width: Int, _ resolver: any SecretResolver, _ logger: Logger) {
        (self.setup, self.resolver, self.logger) = (setup, resolver, logger)
        slots = ByteBudget(limit: UInt64(max(1, width)))
        pool = BlockingPool(width: max(1, width))
    }

    /// What a child says of itself once it has its options.
    ///
    /// Blocks; touches no secret.
    func traits() throws(IngestError) -> JSONValue {
        if let known = state.withLock(\.traits) { return known }
        let worker = try start()
        state.withLock { $0.idle.append(worker) }
        return state.withLock(\.traits) ?? .null
    }

    /// Asks a child; nil when it does not know the request.
    ///
    /// `unavailable` when it died over it. A child that is cancelled is ended: nobody knows how far it came.
    func ask(
        _ request: Request, signer: RequestSigner? = nil,
        entry: (@Sendable (JSONValue) throws(IngestError) -> Void)? = nil, fifo: Fifo? = nil
    ) async throws(IngestError) -> JSONValue? {
        try await slots.take(1)
        defer { slots.give(1) }
        let result = await Result { () async throws(IngestError) in
            try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
                let worker = try await ready(stop)
                return try await lent(worker) { () async throws(IngestError) in
                    try await converse(worker, request, stop, signer, entry, fifo)
                }
            }
        }
        return try scrubbed(result)
    }

    /// Ends all children that have nothing to do.
    func close() async {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        try? await pool.run { () throws(IngestError) in for worker in idle { worker.channel.end(patience: 200) } }
    }

    // MARK: Secrets

    /// Looks the secrets up again; true when one of them has changed, and every child is told.
    func refresh() async throws(IngestError) -> Bool {
        let before = state.withLock(\.secrets).mapValues { $0.reveal() }
        let now = try await resolve()
        return state.withLock { state in
            guard now.mapValues({ $0.reveal() }) != before else { return false }
            state.secrets = now
            state.hidden.add(secrets: Array(now.values))
            state.generation += 1
            return true
        }
    }

    /// What a request was signed with is shown nowhere, either: a child may repeat it in what it says.
    func hide(plain: HTTPRequest, signed: HTTPRequest) {
        state.withLock { $0.hidden.add(plain: plain, signed: signed) }
    }

    /// A missing secret holds what waits for this module instead of ending the run.
    private func resolve() async throws(IngestError) -> [String: SecretValue] {
        var values: [String: SecretValue] = [:]
        for (name, secret) in setup.secrets where secret.reference != .none {
            do throws(IngestError) { values[name] = try await resolver.value(of: secret) } catch {
                throw IngestError(.unauthorized, error.message, advice: error.advice, cause: error)
            }
            guard values[name]?.reveal().utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) == true else {
                throw IngestError(
                    .unauthorized, "The secret \(secret.shown ?? "") holds characters that no header may have.")
            }
        }
        return values
    }

    // MARK: Children

    private func ready(_ stop: StopFlag) async throws(IngestError) -> Worker {
        let idle = state.withLock { state in
            state.idle.removeAll { $0.channel.isOver }
            return state.idle.popLast()
        }
        let worker = if let idle { idle } else { try await pool.run { () throws(IngestError) in try self.start() } }
        do throws(IngestError) { try await prepare(worker, stop) } catch {
            giveBack(worker, error)
            throw error
        }
        return worker
    }

    private func lent<Value>(_ worker: Worker, _ body: () async throws(IngestError) -> Value) async throws(IngestError)
        -> Value
    {
        do throws(IngestError) {
            let value = try await body()
            giveBack(worker, nil)
            return value
        } catch {
            giveBack(worker, error)
            throw error
        }
    }

    /// Gives it the secrets of now, and the preamble once.
    private func prepare(_ worker: Worker, _ stop: StopFlag) async throws(IngestError) {
        if !setup.secrets.isEmpty {
            if state.withLock(\.generation) == 0 { _ = try await refresh() }
            let (generation, secrets) = state.withLock { ($0.generation, $0.secrets) }
            if worker.secrets != generation {
                let given = JSONValue.object(JSONObject(secrets.mapValues { .string($0.reveal()) }))
                _ = try await converse(
                    worker, Request(verb: "secrets", arguments: ["secrets": given]), stop, nil, nil, nil)
                worker.secrets = generation
            }
        }
        guard !worker.isPrepared, let preamble = setup.preamble else { return }
        guard try await converse(worker, preamble, stop, nil, nil, nil) != nil else {
            throw IngestError(.misconfigured, "The module `\(setup.program.name)` does not know `\(preamble.verb)`.")
        }
        worker.isPrepared = true
    }

    /// Starts a child and gives it its options.
    ///
    /// Blocks. After crashes in a row it is left alone for a while.
    private func start() throws(IngestError) -> Worker {
        let program = setup.program, left = state.withLock { $0.notBefore.map { $0 - .now } ?? .zero }
        guard left <= .zero else {
            throw IngestError(
                .unavailable,
                "The module `\(program.name)` ended several times in a row and is not started for a while.",
                retryAfter: left)
        }
        do throws(IngestError) { return try begin(program) } catch {
            if error.code == .unavailable { noteFailure() }
            throw error
        }
    }

    private func begin(_ program: ModuleProgram) throws(IngestError) -> Worker {
        let channel = try LineChannel(program.path, name: program.name), stop = StopFlag()
        channel.remark = { [weak self] in self?.log($0) }
        let hello = try Hello(try channel.receive(within: Worker.greeting, stop), name: program.name)
        let worker = Worker(channel, silence: hello.silence)
        worker.begin(setup.configure)
        switch try worker.hear(stop, within: Worker.greeting) {
        case .done(let traits):
            let first = state.withLock { state in
                state.traits = state.traits ?? traits
                return state.traits
            }
            guard first == traits else {
                throw IngestError(
                    .misconfigured, "The module `\(program.name)` now describes itself differently than before.")
            }
            return worker
        case .failed(let error): throw error
        case .unsupported, .question: throw channel.over("did not take its options", patience: 0)
        }
    }

    /// A child that is still busy with something nobody waits for any more is of no use.
    private func giveBack(_ worker: Worker, _ error: IngestError?) {
        if worker.isBusy { worker.channel.end(patience: 0) }
        if !worker.channel.isOver { return state.withLock { $0.idle.append(worker) } }
        if error?.code == .unavailable { noteFailure() }
    }

    /// The first restart is free, then half a second, a second, up to a minute.
    private func noteFailure() {
        state.withLock { state in
            state.failures += 1
            guard state.failures > 1 else { return }
            state.notBefore = .now + min(.seconds(60), .milliseconds(500) * (1 << min(state.failures - 2, 7)))
        }
    }

    private func converse(
        _ worker: Worker, _ request: Request, _ stop: StopFlag, _ signer: RequestSigner?,
        _ entry: (@Sendable (JSONValue) throws(IngestError) -> Void)?, _ fifo: Fifo?
    ) async throws(IngestError) -> JSONValue? {
        worker.begin(request)
        while true {
            let answer = try await pool.run { () throws(IngestError) in
                var listener = Worker.Listener(side: fifo?.side)
                if let entry { listener.entry = entry }
                let answer = try worker.hear(stop, listener)
                if let side = listener.side { try worker.channel.drain(side) }
                return answer
            }
            if case .question(let asked) = answer {
                worker.reply(await reply(to: asked, signer))
                continue
            }
            state.withLock { ($0.failures, $0.notBefore) = (0, nil) }
            switch answer {
            case .done(let value): return value
            case .failed(let error): throw error
            case .unsupported, .question: return nil
            }
        }
    }

    private func reply(to asked: JSONValue, _ signer: RequestSigner?) async -> JSONValue {
        guard let signer else { return .object(["unsupported": .bool(true)]) }
        do throws(IngestError) {
            return .object(["done": try await signer.answer(asked) { hide(plain: $0, signed: $1) }])
        } catch {
            return .object([
                "failed": .object(["code": .string(error.code.rawValue), "message": .string(error.message)])
            ])
        }
    }

    // MARK: Words

    /// A child's words as they may be shown: one line, bounded, without what it was told in confidence.
    func shown(_ text: String) -> String { Reported.shown(state.withLock(\.hidden.redactor).scrub(text)) }

    private func log(_ line: String) {
        logger.info("\(setup.entry): \(shown(line))")
    }

    private func scrubbed<Value>(_ result: Result<Value, IngestError>) throws(IngestError) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(var error):
            let redactor = state.withLock(\.hidden.redactor)
            (error.message, error.advice) = (redactor.scrub(error.message), error.advice.map(redactor.scrub))
            throw error
        }
    }
}
