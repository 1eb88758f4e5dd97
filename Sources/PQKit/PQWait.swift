import CPQ
import FilmgateCore
import Glibc
import Synchronization

/// How long the far side is waited for, and who may break that off.
struct PQWait {
    let deadline: ContinuousClock.Instant
    let stop: StopFlag

    init(within time: Duration, _ stop: StopFlag) { (deadline, self.stop) = (.now + time, stop) }
    init(until deadline: ContinuousClock.Instant, _ stop: StopFlag) { (self.deadline, self.stop) = (deadline, stop) }

    /// Not beyond `time` from now.
    func within(_ time: Duration) -> PQWait { PQWait(until: min(deadline, .now + time), stop) }

    /// What is left, for as many as have to do with it.
    func share(of count: Int) -> PQWait { PQWait(until: .now + max(.zero, deadline - .now) / count, stop) }

    /// Blocks until the socket has one of `events`, or something to say of its end.
    ///
    /// `unavailable` after the deadline, `cancelled` within a tenth of a second after the flag was raised.
    func callAsFunction(_ socket: CInt, _ events: CInt, _ place: String) throws(PQFailure) {
        guard socket >= 0 else { throw PQFailure(IngestError(.unavailable, "\(place): the connection was lost.")) }
        while true {
            if stop.isRaised { throw PQFailure(IngestError(.cancelled, "Stopped.")) }
            let left = deadline - .now
            guard left > .zero else { throw PQFailure(IngestError(.unavailable, "\(place): timed out.")) }
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            let count = poll(&entry, 1, CInt(min(left / .milliseconds(1), 100).rounded(.up)))
            if count > 0 { return }
            if count < 0, errno != EINTR {
                throw PQFailure(
                    IngestError(.unexpected, "\(place): cannot wait (\(String(cString: strerror(errno))))."))
            }
        }
    }
}

/// Requests to stop a question.
///
/// libpq waits for the server to take one, for ever where the server is frozen: eight threads of the program at most do
/// that.
enum PQCancellation {
    private static let underWay = Atomic(0), most = 8
    private struct Request: @unchecked Sendable { let raw: OpaquePointer }  // Used by the one thread that sends it.

    static func send(_ request: OpaquePointer, _ pq: LibPQ) {
        guard underWay.add(1, ordering: .relaxed).oldValue < most else {
            underWay.subtract(1, ordering: .relaxed)
            return pq.call.freeCancel(request)
        }
        let held = Request(raw: request)
        BlockingThread.run {
            var words = [CChar](repeating: 0, count: 256)
            _ = pq.call.cancel(held.raw, &words, CInt(words.count))
            pq.call.freeCancel(held.raw)
            underWay.subtract(1, ordering: .relaxed)
        }
    }
}

/// The last notices of a server, 20 at most.
final class PQNotices: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }

    static let note: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, words in
        guard let context, let words else { return }
        let length = strnlen(words, 1024)
        let text = String(decoding: UnsafeRawBufferPointer(start: words, count: length), as: UTF8.self)
        Unmanaged<PQNotices>.fromOpaque(context).takeUnretainedValue().kept.withLock { kept in
            if kept.count == 20 { kept.removeFirst() }
            kept.append(PQFailure.shown(text))
        }
    }
}

/// Keys and values as C has them, overwritten before their memory is given back: one is a password.
enum CStrings {
    typealias List = UnsafePointer<UnsafePointer<CChar>?>

    static func with<Value>(_ pairs: [(key: String, value: String)], _ body: (List, List) -> Value) -> Value {
        let keys = pairs.map { strdup($0.key) }, values = pairs.map { strdup($0.value) }
        defer {
            for text in keys + values {
                guard let text else { continue }
                explicit_bzero(text, strlen(text))
                free(text)
            }
        }
        func constant(_ list: [UnsafeMutablePointer<CChar>?]) -> [UnsafePointer<CChar>?] {
            list.map { UnsafePointer($0) } + [nil]
        }
        return constant(keys).withUnsafeBufferPointer { keys in
            constant(values).withUnsafeBufferPointer { values in
                guard let key = keys.baseAddress, let value = values.baseAddress else {
                    preconditionFailure("An array with a NULL has an address.")
                }
                return body(key, value)
            }
        }
    }
}
