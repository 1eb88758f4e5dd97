import PTPKit
import Synchronization

/// Plays bytes in pieces and then ends.
final class FuzzStream: ByteStream {
    private let left: Mutex<ArraySlice<UInt8>>
    private let piece: Int

    init(_ bytes: [UInt8], piece: Int) {
        left = Mutex(bytes[...])
        self.piece = piece
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
        left.withLock { left in
            let part = left.prefix(min(piece, buffer.count))
            buffer.copyBytes(from: part)
            left = left.dropFirst(part.count)
            return part.count
        }
    }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {}
    func stop() {}
}

/// Plays transfers: a byte of length, then so many bytes.
final class FuzzPipe: BulkPipe {
    let address = "fuzz", packetSize = 64
    let stop: @Sendable () -> Void = {}
    private var left: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { left = bytes[...] }

    func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError) {}
    func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int {
        guard let size = left.first else { throw .timedOut }
        let part = left.dropFirst().prefix(min(Int(size), buffer.count))
        buffer.copyBytes(from: part)
        left = left.dropFirst(part.count + 1)
        return part.count
    }
    func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]? { nil }
    func clearHalt(_ direction: BulkDirection) throws(PipeError) {}
    func control(_ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration) throws(PipeError)
        -> [UInt8]
    { [] }
    func close() {}
}
