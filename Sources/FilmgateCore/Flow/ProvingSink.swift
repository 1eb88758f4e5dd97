import Synchronization

/// Compares what comes first with what came before, then passes on the rest.
///
/// Throws `corruptData` with the cause ``OtherBytes`` when they differ.
public final class ProvingSink: ByteSink {
    public enum Proof: Sendable {
        case bytes([UInt8])
        case sum(RunningSum, of: UInt64)
    }
    private struct State { var done: UInt64 = 0, sum = RunningSum() }
    private let proof: Proof, name: String
    private let next: any ByteSink
    private let state = Mutex(State())

    /// `name`: the file's, for the message.
    public init(_ proof: Proof, of name: String, then next: any ByteSink) {
        (self.proof, self.name, self.next) = (proof, name, next)
    }

    private var length: UInt64 {
        switch proof {
        case .bytes(let bytes): UInt64(bytes.count)
        case .sum(_, let length): length
        }
    }

    public func write(_ bytes: RawSpan) throws(IngestError) {
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
        guard isSame else { throw OtherBytes.failure(name) }
        if count < bytes.byteCount { try next.write(bytes.extracting(count...)) }
    }
}

/// A file on its way from a source that gives no parts: a try after a break reads it from its beginning, and what had
/// come is passed on again to nobody, but compared as a whole.
public final class RepeatedRead: ByteSink {
    private struct State { var count: UInt64, sum = RunningSum(), isBegun = false }
    private let inner: any ByteSink, start: UInt64, name: String
    private let state: Mutex<State>

    /// `offset`: where the first try begins; what lies before is not this one's to compare.
    public init(_ inner: any ByteSink, of name: String, from offset: UInt64) {
        (self.inner, self.name, start) = (inner, name, offset)
        state = Mutex(State(count: offset))
    }

    /// How much of the file came, counted once however often it was read.
    public var position: UInt64 { state.withLock { $0.count } }

    public func write(_ bytes: RawSpan) throws(IngestError) {
        try inner.write(bytes)
        state.withLock { state in
            state.count += UInt64(bytes.byteCount)
            state.sum.add(bytes)
        }
    }

    /// Where a try begins reading, and the sink to read into.
    public func attempt() -> (offset: UInt64, sink: any ByteSink) {
        state.withLock { state in
            defer { state.isBegun = true }
            guard state.isBegun, state.count > start else { return (start, self) }
            return (start, ProvingSink(.sum(state.sum, of: state.count - start), of: name, then: self))
        }
    }
}

/// A checksum of a stream, whatever pieces it comes in: good enough to tell another file, not made against forgery.
public struct RunningSum: Sendable, Equatable {
    private var value: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var word: UInt64 = 0, filled: UInt64 = 0

    public init() {}

    public mutating func add(_ bytes: RawSpan) {
        var offset = 0
        while filled != 0, offset < bytes.byteCount {
            push(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        while bytes.byteCount - offset >= 8 {
            mix(
                UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
            )
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
