import FilmgateCore
import Synchronization

/// Knows how far an object has come, so that a transfer goes on there after the connection broke, and keeps enough of it to tell whether the
/// camera then still means the same bytes.
final class CountingSink: ByteSink {
    /// Bytes that are read again after coming back.
    static let window = 64 << 10

    private struct State {
        var count: UInt64
        /// The last bytes that came, at most a window and a little more.
        var tail: [UInt8] = []
        var sum = RunningSum()
        /// The connection over which the last of them came.
        var connection: ObjectIdentifier?
    }
    private let inner: any ByteSink
    private let start: UInt64
    /// All that comes may have to be proved, so it is summed up.
    private let sums: Bool
    private let state: Mutex<State>

    init(_ inner: any ByteSink, from offset: UInt64, sums: Bool = true) {
        (self.inner, start, self.sums) = (inner, offset, sums)
        state = Mutex(State(count: offset))
    }

    var position: UInt64 { state.withLock { $0.count } }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try inner.write(bytes)
        state.withLock { state in
            state.count += UInt64(bytes.byteCount)
            if sums { state.sum.add(bytes) }
            let kept = bytes.extracting(last: Self.window)
            if kept.byteCount + state.tail.count > 4 * Self.window { state.tail.removeFirst(state.tail.count - Self.window) }
            if kept.byteCount == Self.window { state.tail.removeAll(keepingCapacity: true) }
            kept.withUnsafeBytes { unsafe state.tail.append(contentsOf: $0) }
        }
    }

    /// Where to begin reading over this connection, and the sink to read into.
    ///
    /// Over the connection that was used so far: the position, and this sink. Over another one: earlier, and a sink that lets nothing through
    /// until the bytes that came before have come again. With `wholly`, all of them; else a window of them.
    func resumption(over connection: ObjectIdentifier, wholly: Bool) -> (offset: UInt64, sink: any ByteSink) {
        state.withLock { state in
            defer { state.connection = connection }
            guard let before = state.connection, before != connection, state.count > start else { return (state.count, self) }
            if wholly, sums, start == 0 { return (0, ProvingSink(.sum(state.sum, of: state.count), then: self)) }
            let tail = Array(state.tail.suffix(Self.window))
            return (state.count - UInt64(tail.count), ProvingSink(.bytes(tail), then: self))
        }
    }
}

/// Compares what comes first with what came before, then passes on the rest.
final class ProvingSink: ByteSink {
    enum Proof {
        case bytes([UInt8])
        case sum(RunningSum, of: UInt64)
    }
    private struct State { var done: UInt64 = 0, sum = RunningSum() }
    private let proof: Proof
    private let next: any ByteSink
    private let state = Mutex(State())

    init(_ proof: Proof, then next: any ByteSink) { (self.proof, self.next) = (proof, next) }

    private var length: UInt64 {
        switch proof {
        case .bytes(let bytes): UInt64(bytes.count)
        case .sum(_, let length): length
        }
    }

    func write(_ bytes: RawSpan) throws(IngestError) {
        let (count, isSame) = state.withLock { state -> (Int, Bool) in
            let count = Int(min(length - state.done, UInt64(bytes.byteCount)))
            guard count > 0 else { return (0, true) }
            defer { state.done += UInt64(count) }
            let part = bytes.extracting(0..<count)
            switch proof {
            case .bytes(let expected):
                let start = Int(state.done)
                return (count, part.withUnsafeBytes { unsafe $0.elementsEqual(expected[start..<start + count]) })
            case .sum(let expected, let length):
                state.sum.add(part)
                return (count, state.done + UInt64(count) < length || state.sum == expected)
            }
        }
        guard isSame else {
            throw IngestError(
                .corruptData, "The camera's file is not the one whose first part had been read before the connection broke.",
                advice: "It is read again from its beginning at the next try.")
        }
        if count < bytes.byteCount { try next.write(bytes.extracting(count...)) }
    }
}

/// A checksum of a stream, whatever pieces it comes in: good enough to tell another file, not made against forgery.
struct RunningSum: Sendable, Equatable {
    private var value: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var word: UInt64 = 0, filled: UInt64 = 0

    mutating func add(_ bytes: RawSpan) {
        var offset = 0
        while filled != 0, offset < bytes.byteCount {
            push(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        while bytes.byteCount - offset >= 8 {
            mix(UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        while offset < bytes.byteCount {
            push(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
            offset += 1
        }
    }

    private mutating func push(_ byte: UInt8) {
        word |= UInt64(byte) << (8 * filled)
        filled += 1
        guard filled == 8 else { return }
        mix(word)
        (word, filled) = (0, 0)
    }

    private mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0xFF51_AFD7_ED55_8CCD
        value ^= value >> 32
    }
}
