import FilmgateCore
import PTPKit
import Synchronization

/// Plays what a camera sends, in pieces, and keeps what we send.
final class Script: ByteStream {
    private struct State { var bytes: [UInt8], piece: Int, written: [UInt8] = [], closes: Bool }
    private let state: Mutex<State>

    /// Behind `bytes` the connection ends, or stays silent with `closes: false`.
    init(_ bytes: [UInt8], piece: Int = .max, closes: Bool = true) {
        state = Mutex(State(bytes: bytes, piece: piece, closes: closes))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
        let part: [UInt8]? = state.withLock { state in
            let count = min(state.bytes.count, buffer.count, state.piece)
            if count == 0 { return state.closes ? [] : nil }
            defer { state.bytes.removeFirst(count) }
            return Array(state.bytes.prefix(count))
        }
        guard let part else { throw .timedOut("script") }
        buffer.copyBytes(from: part)
        return part.count
    }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) { state.withLock { $0.written += bytes } }
    func stop() {}
    func feed(_ bytes: [UInt8]) { state.withLock { $0.bytes += bytes } }
    var written: [UInt8] { state.withLock(\.written) }
}

/// Collects what is fetched.
final class Collector: ByteSink {
    private let state = Mutex<(bytes: [UInt8], limit: Int)>(([], .max))
    init(failingAfter limit: Int = .max) { state.withLock { $0.limit = limit } }
    func write(_ bytes: RawSpan) throws(IngestError) {
        let full = state.withLock { state in
            state.bytes += bytes.copied
            return state.bytes.count > state.limit
        }
        if full { throw IngestError(.storageFull, "The disk is full.") }
    }
    var bytes: [UInt8] { state.withLock(\.bytes) }
}

extension PTPIPLink {
    /// A link whose camera says `packets` on the command connection and nothing on the other.
    static func scripted(_ packets: [UInt8]..., piece: Int = .max) throws -> (PTPIPLink, Script) {
        let script = Script(packets.flatMap { $0 }, piece: piece)
        let ack = IPPacket.initCommandAck(connection: 1, guid: [UInt8](repeating: 1, count: 16), name: "script")
        let greeting = try InitCommandAck(Array(ack.dropFirst(8)).span.bytes)
        return (PTPIPLink("script", greeting: greeting, command: script, events: Script([])), script)
    }
}

func packet(_ kind: UInt32, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(length ?? UInt32(body.count + 8))
    writer.put(kind)
    writer.put(contentsOf: body)
    return writer.bytes
}
