import FilmgateCore
public import PTPKit
import Synchronization

/// A connection on which bytes come in as they were written down, in pieces, and which then ends.
public final class PlayedStream: ByteStream {
    private let bytes: [UInt8], piece: Int
    private let offset = Mutex(0)

    public init(_ bytes: [UInt8], piece: Int = .max) { (self.bytes, self.piece) = (bytes, max(1, piece)) }

    public func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
        offset.withLock { offset in
            let part = bytes[offset...].prefix(min(piece, buffer.count))
            buffer.copyBytes(from: part)
            offset += part.count
            return part.count
        }
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {}
    public func stop() {}
}

/// A USB device whose transfers come in as they were written down, and which is then silent.
public final class PlayedPipe: BulkPipe {
    public let address = "played", packetSize: Int
    public let stop: @Sendable () -> Void = {}
    private let transfers: [[UInt8]]
    private var place = (transfer: 0, offset: 0)

    public init(_ transfers: [[UInt8]], packetSize: Int = 512) {
        (self.transfers, self.packetSize) = (transfers, packetSize)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int {
        guard place.transfer < transfers.count else { throw .timedOut }
        let rest = transfers[place.transfer][place.offset...], part = rest.prefix(buffer.count)
        buffer.copyBytes(from: part)
        place = part.count < rest.count ? (place.transfer, place.offset + part.count) : (place.transfer + 1, 0)
        return part.count
    }

    /// The interrupt endpoint brings the same bytes, in pieces.
    public func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]? {
        guard place.transfer < transfers.count else { return nil }
        defer { place = (place.transfer + 1, 0) }
        return Array(transfers[place.transfer].prefix(64))
    }

    public func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError) {}
    public func clearHalt(_ direction: BulkDirection) throws(PipeError) {}
    public func close() {}

    public func control(
        _ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration
    ) throws(PipeError) -> [UInt8] {
        []
    }
}

/// What is done with a link whose other end sends anything at all: it may fail as it likes, but not trap, hang, or
/// grow.
public enum LinkExercise {
    /// A session over PTP/IP with a camera that sends these bytes, whatever it is asked.
    public static func network(_ bytes: [UInt8], piece: Int = .max) async {
        guard let greeting = try? InitCommandAck([UInt8](repeating: 0, count: 24).span.bytes) else { return }
        await session(
            PTPIPLink(
                "played", greeting: greeting, command: PlayedStream(bytes, piece: piece), events: PlayedStream(bytes)))
    }

    /// A session over USB.
    public static func bus(_ transfers: [[UInt8]]) async { await session(BulkLink(PlayedPipe(transfers))) }

    /// Opens, reads into memory, streams, asks for events, and closes.
    public static func session(_ link: sending any CameraLink) async {
        let camera = PTPCamera(link, quirks: .standard.with { $0.patience = .zero })
        await camera.exercise()
        await camera.close()
    }
}

extension PTPCamera {
    fileprivate func exercise() {
        guard (try? open()) != nil else { return }
        for _ in 0..<16 where failure == nil {
            let bytes = (try? read(.getObjectHandles, 1, 0, 0, limit: 1 << 20)) ?? []
            precondition(bytes.count <= 1 << 20, "more than was allowed")
            var count: UInt64 = 0
            let result = try? stream(Operation(.getObject, [1]), expecting: 1 << 16) { count += UInt64($0.byteCount) }
            precondition(result == nil || result?.received == count, "bytes delivered and counted differ")
            try? pollEvents()
            precondition(eventQueue.take().events.count <= 4096, "events without bound")
        }
    }
}
