import CLinux
import CPQ
import FilmgateCore
import Glibc

/// One connection of libpq, used by one thread at a time and closed when it goes.
///
/// Everything waits with a deadline: libpq never blocks here. It looks up no name of a host: `NameLookups` does.
final class PQHandle {
    let pq: LibPQ
    private let raw: OpaquePointer
    private let notices = PQNotices()
    let place: String

    /// Connects to one server.
    ///
    /// Blocks until `wait` ends.
    init(_ pq: LibPQ, _ words: [(key: String, value: String)], place: String, _ wait: PQWait) throws(PQFailure) {
        (self.pq, self.place) = (pq, place)
        guard let raw = CStrings.with(words, { pq.call.connectStartParams($0, $1, 0) }) else {
            throw PQFailure(IngestError(.unexpected, "There is no memory for a connection to \(place)."))
        }
        self.raw = raw
        // From here on `deinit` closes it.
        _ = pq.call.setErrorVerbosity(raw, PQERRORS_VERBOSE)
        _ = pq.call.setNoticeProcessor(raw, PQNotices.note, Unmanaged.passUnretained(notices).toOpaque())
        try finishConnecting(wait)
        _ = pq.call.setErrorVerbosity(raw, PQERRORS_DEFAULT)
        guard pq.call.setnonblocking(raw, 1) == 0 else { throw lost() }
    }

    deinit { pq.call.finish(raw) }

    private func finishConnecting(_ wait: PQWait) throws(PQFailure) {
        guard pq.call.status(raw) != CONNECTION_BAD else { throw PQFailure(connecting: words, at: place) }
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED else { throw PQFailure(connecting: words, at: place) }
            try wait(pq.call.socket(raw), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, place)
            next = pq.call.connectPoll(raw)
        }
    }

    private var words: String { pq.call.errorMessage(raw).map { String(cString: $0) } ?? "" }

    /// The connection broke.
    private func lost() -> PQFailure {
        PQFailure(connecting: words.isEmpty ? "the connection was lost" : words, at: place)
    }

    /// How the connection is protected, in words.
    var protection: String {
        guard pq.call.sslInUse(raw) != 0 else { return "no TLS" }
        func attribute(_ name: String) -> String? {
            pq.call.sslAttribute(raw, name).map { PQFailure.shown(String(cString: $0)) }
        }
        return [attribute("protocol"), attribute("cipher")].compactMap(\.self).joined(separator: " ")
    }
    var version: String {
        pq.call.parameterStatus(raw, "server_version").map { PQFailure.shown(String(cString: $0)) } ?? "?"
    }
    var recentNotices: [String] { notices.lines }

    /// Sends one statement, or with no parameters several, and waits for the whole answer.
    ///
    /// The rows of the last statement that has any. libpq needs far less for all rows than for one by one;
    /// `nextResult` bounds the bytes that it keeps until their number is known.
    func execute(
        _ sql: String, _ values: [PQValue]?, _ limit: PQLimit, _ wait: PQWait
    ) throws(PQFailure) -> PQAnswer? {
        guard send(sql, values) != 0 else { throw lost() }
        try flush(wait)
        var refusal: PQFailure?, answer: PQAnswer?
        while let result = try nextResult(limit, wait) {
            let found = PQAnswer(pq, result)
            switch pq.call.resultStatus(result) {
            case PGRES_TUPLES_OK:
                guard found.count <= limit.rows else { throw tooMuch(limit) }
                answer = found
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            case PGRES_FATAL_ERROR: refusal = refusal ?? withExtendedLifetime(found) { self.refusal(result) }
            default:
                throw PQFailure(
                    IngestError(.protocolViolation, "\(place) answered with a form of copy that nobody asked for."))
            }
        }
        if let refusal { throw refusal }
        return answer
    }

    private func send(_ sql: String, _ values: [PQValue]?) -> CInt {
        guard let values else { return pq.call.sendQuery(raw, sql) }
        let types = values.map(\.type), lengths = values.map { CInt($0.bytes?.count ?? 0) }
        let forms = values.map { _ in CInt(1) }
        var places: [UnsafePointer<CChar>?] = []
        places.reserveCapacity(values.count)
        // Each value is lent where it lies: a report's are hundreds of kilobytes.
        func sendFrom(_ index: Int) -> CInt {
            guard index < values.count else {
                return pq.call.sendQueryParams(raw, sql, CInt(values.count), types, places, lengths, forms, 1)
            }
            guard let bytes = values[index].bytes else {
                places.append(nil)
                return sendFrom(index + 1)
            }
            // An empty value needs an address, too: without one it is NULL.
            return (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                places.append($0.assumingMemoryBound(to: CChar.self).baseAddress)
                return sendFrom(index + 1)
            }
        }
        return sendFrom(0)
    }

    private func flush(_ wait: PQWait) throws(PQFailure) {
        while true {
            switch pq.call.flush(raw) {
            case 0: return
            case 1:
                // The server may want to be read from before it takes more.
                try wait(pq.call.socket(raw), POLLIN | POLLOUT, place)
                guard pq.call.consumeInput(raw) != 0 else { throw lost() }
            default: throw lost()
            }
        }
    }

    /// Nil at the end of the answer.
    private func nextResult(_ limit: PQLimit, _ wait: PQWait) throws(PQFailure) -> OpaquePointer? {
        let socket = pq.call.socket(raw), begun = fg_bytes_received(socket)
        // A row has its own frame, and each value its length.
        let most = limit.bytes + limit.bytes / 4 + 64 * limit.rows + 65_536
        var taken = 0
        while pq.call.isBusy(raw) != 0 {
            try wait(socket, POLLIN, place)
            let waiting = begun < 0 ? Self.waiting(in: socket) : 0
            guard pq.call.consumeInput(raw) != 0 else { throw lost() }
            if begun >= 0 {
                taken = Int(fg_bytes_received(socket) - begun)
            } else {
                // More may come while it reads; libpq makes room for 8 KiB at least. So a server on a socket of this
                // machine may send some times as much before that is noticed.
                taken += max(waiting - Self.waiting(in: socket), min(waiting, 8192))
            }
            // An answer of many gigabytes, or one row of it, would be kept by libpq until it is whole.
            guard taken <= most else { throw tooMuch(limit) }
        }
        return pq.call.getResult(raw)
    }

    private static func waiting(in socket: CInt) -> Int {
        var count: CInt = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    private func tooMuch(_ limit: PQLimit) -> PQFailure {
        PQFailure(
            IngestError(
                .protocolViolation,
                "\(place) answered with more than \(limit.rows) rows or \(limit.bytes / 1_048_576) MiB: not read."))
    }

    private func refusal(_ result: OpaquePointer) -> PQFailure {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { pq.call.resultErrorField(result, CInt($0)) }.map { String(cString: $0) }
        }
        // Without a state libpq itself says it: the connection is gone.
        guard let state = field("C"), let words = field("M") else { return lost() }
        return PQFailure(state: state, words: words, at: place)
    }

    /// Asks the server to stop what it does for this connection; nobody waits for that.
    func cancel() {
        guard let request = pq.call.getCancel(raw) else { return }
        PQCancellation.send(request, pq)
    }
}

/// How much of an answer is read at most.
public struct PQLimit: Sendable, Hashable {
    public var rows: Int, bytes: Int
    public init(rows: Int = 10_000, bytes: Int = 16 << 20) { (self.rows, self.bytes) = (rows, bytes) }
}
