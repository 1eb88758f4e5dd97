/// How a transfer that was cut off is shown to be of the file that the source has now, before it is gone on with: never
/// a mixture of two.
///
/// Compared are the beginning, places spread over all that had come, and the bytes before the break. A run of one
/// value, such as the padding of clips, looks the same in every file: behind the beginning there must be a window that
/// is none. Else it is begun anew.
public enum ResumeProof {
    /// Bytes at the beginning and before the break, and at each place between them.
    public static let window: UInt64 = 64 << 10, sample: UInt64 = 4 << 10
    /// Places between beginning and break.
    public static let samples: UInt64 = 24
    /// How many windows back from the break one is looked for that is no run of one value.
    static let reach: UInt64 = 1024

    /// A part of what came, to be compared with what the source has there.
    public struct Piece: Sendable, Hashable {
        public var start: UInt64, bytes: [UInt8]
        public var range: Range<UInt64> { start..<(start + UInt64(bytes.count)) }

        public init(start: UInt64, bytes: [UInt8]) { (self.start, self.bytes) = (start, bytes) }
    }

    /// What has to be equal before a transfer goes on behind `end`; nil when nothing that is here proves anything.
    ///
    /// `kept` gives bytes that came, fewer or none where they cannot be read any more.
    public static func pieces(
        before end: UInt64, _ kept: (Range<UInt64>) throws(IngestError) -> [UInt8]
    ) throws(IngestError) -> [Piece]? {
        var pieces: [Piece] = []
        let head = min(window, end), overlap = max(head, end - min(end, window))
        var places = [0..<head, overlap..<end]
        for number in 0..<samples where overlap - head > sample {
            let room = overlap - head - sample, low = head + room * number / samples
            let high = head + room * (number + 1) / samples
            let start = UInt64.random(in: low...high)
            places.append(start..<(start + sample))
        }
        for place in places where !place.isEmpty {
            let bytes = try kept(place)
            guard bytes.count == place.count else { return nil }
            pieces.append(Piece(start: place.lowerBound, bytes: bytes))
        }
        guard let telling = try telling(before: end, kept) else { return nil }
        if !places.contains(telling.range) { pieces.append(telling) }
        return pieces
    }

    /// The last window before `end` that is more than one value over and over.
    private static func telling(
        before end: UInt64, _ kept: (Range<UInt64>) throws(IngestError) -> [UInt8]
    ) throws(IngestError) -> Piece? {
        // The beginning alone is much the same in all files of a body.
        var upper = end
        let floor = end > 2 * window ? window : 0
        for _ in 0..<reach where upper > floor {
            let lower = max(floor, upper - min(upper, window))
            let bytes = try kept(lower..<upper)
            guard UInt64(bytes.count) == upper - lower else { return nil }
            if !isRun(bytes) { return Piece(start: lower, bytes: bytes) }
            upper = lower
        }
        return nil
    }

    /// True for one value over and over, which proves nothing.
    static func isRun(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 == bytes.first } }
}

/// The cause of a fetch's failure: what came before a break is not of the file that the source has now, or cannot be
/// shown to be.
public struct OtherBytes: Error, Sendable, Hashable {
    public init() {}

    public static func failure(_ name: String) -> IngestError {
        IngestError(
            .corruptData,
            "\(name) is not the file whose first part had been read before the connection broke, or cannot be shown to be.",
            advice: "It is read again from its beginning at the next try.", cause: OtherBytes())
    }
}

/// A sink that can show again what it took.
public protocol RereadableSink: ByteSink {
    /// Bytes of the object by their place in it; fewer where they cannot be read yet.
    func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8]
}
