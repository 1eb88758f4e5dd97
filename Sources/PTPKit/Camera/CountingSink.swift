import FilmgateCore
import Synchronization

/// Knows how far an object has come, so that a transfer goes on there after the connection broke, and what has to be
/// equal before it does.
final class CountingSink: ByteSink {
    /// Bytes that are read again after coming back.
    static let window = Int(ResumeProof.window)

    /// How a connection goes on with the object.
    struct Resumption {
        /// Where to begin reading, and the sink to read into.
        var offset: UInt64, sink: any ByteSink
        /// What must be equal before.
        var pieces: [ResumeProof.Piece] = []
    }
    private struct State {
        var count: UInt64
        /// The last bytes that came, at most a window and a little more.
        var tail: [UInt8] = []
        var sum: RunningSum?
        /// The connection over which the last of them came, or were proved.
        ///
        /// It is held: the next one must not be taken for it because it lies where that one lay in memory.
        var connection: PTPCamera?
    }
    private let inner: any ByteSink, start: UInt64, name: String
    private let state: Mutex<State>

    /// `connection`: the one over which what lies before `offset` was proved; nil for none.
    init(_ inner: any ByteSink, of name: String, from offset: UInt64, provedOver connection: PTPCamera? = nil) {
        (self.inner, self.name, start) = (inner, name, offset)
        state = Mutex(State(count: offset, connection: connection))
    }

    var position: UInt64 { state.withLock { $0.count } }
    /// The last two bytes that came.
    var end: [UInt8] { state.withLock { Array($0.tail.suffix(2)) } }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try inner.write(bytes)
        state.withLock { state in
            state.count += UInt64(bytes.byteCount)
            state.sum?.add(bytes)
            let kept = bytes.extracting(last: Self.window)
            if kept.byteCount + state.tail.count > 4 * Self.window {
                state.tail.removeFirst(state.tail.count - Self.window)
            }
            if kept.byteCount == Self.window { state.tail.removeAll(keepingCapacity: true) }
            kept.withUnsafeBytes { unsafe state.tail.append(contentsOf: $0) }
        }
    }

    /// How to go on over this connection; with `wholly`, the camera gives no parts.
    ///
    /// Over the connection that was used so far: behind what came. Over another one: after proof, by parts, or by all
    /// that had come. `corruptData` with the cause ``OtherBytes`` when what came can prove nothing.
    func resumption(over connection: PTPCamera, wholly: Bool) throws(IngestError) -> Resumption {
        let (state, isSame) = state.withLock { state -> (State, Bool) in
            // All that comes will have to be proved, so it is summed up.
            if wholly, state.count == 0 { state.sum = RunningSum() }
            return (state, state.connection === connection)
        }
        if state.count == 0 || isSame { return Resumption(offset: state.count, sink: self) }
        if wholly {
            guard start == 0, let sum = state.sum else { throw OtherBytes.failure(name) }
            return Resumption(offset: 0, sink: ProvingSink(.sum(sum, of: state.count), of: name, then: self))
        }
        let pieces = try ResumeProof.pieces(before: state.count) { range throws(IngestError) in
            try self.bytes(in: range, state)
        }
        guard let pieces else { throw OtherBytes.failure(name) }
        return Resumption(offset: state.count, sink: self, pieces: pieces)
    }

    /// What came over it from now on, and what came before, is of one object.
    func isProved(over connection: PTPCamera) { state.withLock { $0.connection = connection } }

    /// The last ones are kept here: they may not have reached the disk.
    private func bytes(in range: Range<UInt64>, _ state: State) throws(IngestError) -> [UInt8] {
        let first = state.count - UInt64(state.tail.count)
        var bytes: [UInt8] = []
        if range.lowerBound < first {
            bytes = try (inner as? any RereadableSink)?.bytes(in: range.lowerBound..<min(range.upperBound, first)) ?? []
            guard range.lowerBound + UInt64(bytes.count) == min(range.upperBound, first) else { return bytes }
        }
        guard range.upperBound > first else { return bytes }
        return bytes + state.tail[Int(max(range.lowerBound, first) - first)..<Int(range.upperBound - first)]
    }
}
