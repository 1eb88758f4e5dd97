public import FilmgateCore
import Glibc

/// How a database is reached.
public struct PQOptions: Sendable {
    public var address: PQAddress
    /// Looked up at each connection, on a thread that may block.
    public var password: (@Sendable () throws(IngestError) -> SecretValue?)?
    /// Paths of a client's certificate and its key, and of the certificate that signed the server's; absent: the
    /// system's list.
    public var certificate: String?, key: String?, root: String?
    /// How long one host may take to connect, and to answer where the caller says nothing else.
    public var connect = Duration.seconds(3), answer = Duration.seconds(10)
    /// Servers of an older history are not used: an old primary that came back.
    public var fence = PQFence()
    var lookups = NameLookups.shared

    public init(_ address: PQAddress) { self.address = address }
}

/// The server that answers.
public struct PQServer: Sendable, Hashable {
    public var host: String, version: String, protection: String
    /// Nil where the server does not say, as behind some proxies and in databases that only speak like it.
    public var history: ServerHistory?
}

/// One connection to a database of several hosts: made when it is needed, used by one question at a time.
///
/// Blocking calls run on a thread of its own, never on Swift's. After a failure of the connection the next question
/// makes a new one, at the host that answered last, then at the others in their order: each of them, and each of its
/// addresses, has its share of the time that is left, so that one that is away takes none of the others'. No question
/// is repeated except where the server itself undid it (40001, 40P01).
public actor PQConnection {
    private let executor = BlockingExecutor()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let options: PQOptions
    private var handle: PQHandle?
    private var current: PQServer?
    /// The host that answered last.
    private var favourite = 0

    public init(_ options: PQOptions) { self.options = options }

    /// Closes the connection.
    ///
    /// May be called twice.
    public func close() { (handle, current) = (nil, nil) }

    /// Lets go of a server that is an old primary by now, as another connection or an answer has shown.
    ///
    /// It would be asked for as long as it answers: what it is was looked at when the connection was made.
    public func leaveOldPrimary() { if let history = current?.history, options.fence.isAhead(of: history) { close() } }

    /// The last notices of the server, 20 at most.
    public var notices: [String] { handle?.recentNotices ?? [] }

    /// Connects where that has not happened yet.
    public nonisolated func server() async throws(IngestError) -> PQServer {
        let until = ContinuousClock.now + options.connect * Double(options.address.hosts.count + 1)
        return try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await self.connected(PQWait(until: until, stop))
        }
    }

    /// Asks one question and reads its rows.
    ///
    /// `within`: for all of it, waiting for its turn and connecting too; absent: what the options say. The parameters
    /// are `$1`, `$2`, …; what `decode` throws ends the reading and the connection.
    @inlinable
    public nonisolated func rows<Row: Sendable>(
        _ sql: String, _ values: [PQValue] = [], within time: Duration? = nil, limit: PQLimit = PQLimit(),
        _ decode: (borrowing PQRow) throws(IngestError) -> Row
    ) async throws(IngestError) -> [Row] {
        guard let answer = try await answer(sql, values, within: time, limit: limit) else { return [] }
        var rows: [Row] = []
        rows.reserveCapacity(answer.count)
        do throws(IngestError) {
            for row in 0..<answer.count { rows.append(try decode(answer.row(row))) }
        } catch {
            await close()
            throw error
        }
        return rows
    }

    @usableFromInline
    nonisolated func answer(
        _ sql: String, _ values: [PQValue], within time: Duration?, limit: PQLimit
    ) async throws(IngestError) -> PQAnswer? {
        let until = ContinuousClock.now + (time ?? options.answer)
        return try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await self.ask(sql, values, limit, PQWait(until: until, stop))
        }
    }

    /// Runs statements, several in one transaction where they do not say otherwise; what they answer is not read.
    public nonisolated func run(_ sql: String, within time: Duration? = nil) async throws(IngestError) {
        let until = ContinuousClock.now + (time ?? options.answer)
        try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await self.carryOut(sql, PQWait(until: until, stop))
        }
    }

    private func ask(
        _ sql: String, _ values: [PQValue], _ limit: PQLimit, _ wait: PQWait
    ) throws(IngestError) -> PQAnswer? {
        var tries = 0
        while true {
            do throws(IngestError) { return try perform(sql, values, limit, wait) } catch {
                tries += 1
                // Undone by the server for the sake of others: at once again.
                guard tries < 8, let refusal = error.cause as? PQRefusal, ["40001", "40P01"].contains(refusal.state)
                else { throw error }
                // Two that met once would meet again, if both came back at the same moment.
                usleep(UInt32.random(in: 0...4000) << tries)
            }
        }
    }

    private func carryOut(_ sql: String, _ wait: PQWait) throws(IngestError) {
        _ = try perform(sql, nil, PQLimit(), wait)
    }

    private func perform(
        _ sql: String, _ values: [PQValue]?, _ limit: PQLimit, _ wait: PQWait
    ) throws(IngestError) -> PQAnswer? {
        _ = try connected(wait)
        guard let handle else { throw IngestError(.unavailable, "\(options.address.place): the connection was lost.") }
        do throws(PQFailure) { return try handle.execute(sql, values, limit, wait) } catch {
            if [.cancelled, .unavailable].contains(error.error.code), !error.keepsConnection { handle.cancel() }
            if !error.keepsConnection { close() }
            throw error.error
        }
    }

    private func connected(_ wait: PQWait) throws(IngestError) -> PQServer {
        if handle != nil, let current { return current }
        let pq = try LibPQ.loaded(), hosts = options.address.hosts
        var failures: [IngestError] = []
        for (tried, index) in (Array(favourite..<hosts.count) + Array(0..<favourite)).enumerated() {
            do throws(PQFailure) {
                let share = wait.share(of: hosts.count - tried).within(options.connect)
                let server = try connect(pq, hosts[index], share)
                favourite = index
                return server
            } catch {
                close()
                // Another host would say the same of a role, and asking it again is what locks an account.
                if [.unauthorized, .misconfigured, .cancelled].contains(error.error.code) { throw error.error }
                failures.append(error.error)
            }
        }
        throw Self.summary(failures, place: options.address.place)
    }

    /// Given all of a name's addresses, libpq would stay at the first as long as it may stay at any.
    private func connect(_ pq: LibPQ, _ host: PQAddress.Host, _ wait: PQWait) throws(PQFailure) -> PQServer {
        let addresses = try options.lookups.addresses(of: host, wait), words: PQKeywords.List
        do throws(IngestError) { words = try PQKeywords.of(host, options) } catch { throw PQFailure(error) }
        if addresses.isEmpty { return try connect(pq, host, words, wait) }
        var failures: [IngestError] = []
        for (tried, address) in addresses.enumerated() {
            do throws(PQFailure) {
                let share = wait.share(of: addresses.count - tried)
                return try connect(pq, host, words + [(key: "hostaddr", value: address)], share)
            } catch {
                // What a server says itself, and a server that cannot be proven, is no reason to ask the next one.
                guard error.error.code == .unavailable else { throw error }
                failures.append(error.error)
            }
        }
        throw PQFailure(Self.summary(failures, place: host.shown))
    }

    private func connect(
        _ pq: LibPQ, _ host: PQAddress.Host, _ words: PQKeywords.List, _ wait: PQWait
    ) throws(PQFailure) -> PQServer {
        let handle = try PQHandle(pq, words, place: host.shown, wait)
        let found = try history(of: handle, wait)
        do throws(IngestError) { if let found { try options.fence.admit(found, at: host.shown) } } catch {
            throw PQFailure(error)
        }
        let server = PQServer(host: host.name, version: handle.version, protection: handle.protection, history: found)
        (self.handle, current) = (handle, server)
        return server
    }

    /// Nil where the server has no such log or does not tell.
    private func history(of handle: PQHandle, _ wait: PQWait) throws(PQFailure) -> ServerHistory? {
        for question in PQHistory.questions {
            var answer: PQAnswer?
            do throws(PQFailure) {
                answer = try handle.execute("SELECT \(question)", [], PQLimit(rows: 1, bytes: 4096), wait)
            } catch { if !error.keepsConnection { throw error } }
            guard let answer, answer.count == 1 else { continue }
            do throws(IngestError) { return try PQHistory.read(answer.row(0), from: 0) } catch {
                throw PQFailure(error)
            }
        }
        return nil
    }

    private static func summary(_ failures: [IngestError], place: String) -> IngestError {
        // What one of them says itself comes before what is said of any server that does not answer.
        let advice =
            failures.lazy.compactMap(\.advice).first
            ?? failures.lazy.compactMap { PQWords.advice(on: $0.message) }.first
        if var only = failures.first, failures.allSatisfy({ $0.message == only.message }) {
            only.advice = advice
            return only
        }
        // One that may be an impostor is worth more attention than one that is away.
        let code: IngestError.Code = failures.allSatisfy { $0.code == .untrusted } ? .untrusted : .unavailable
        let said = failures.map { $0.message.hasSuffix(".") ? String($0.message.dropLast()) : $0.message }
        let message = said.isEmpty ? "\(place): timed out" : said.joined(separator: "; ")
        return IngestError(code, PQWords.sentence(message), advice: advice)
    }
}
