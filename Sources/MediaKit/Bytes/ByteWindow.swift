/// Reads a file in few, bounded pieces: one head, then small blocks where something points to.
///
/// Everything a reader may cost is bounded here, whatever the file claims: the bytes read and the number of accesses.
/// When either is used up every further access answers nil, so that loops end.
final class ByteWindow {
    let size: UInt64
    /// The medium failed: what was not found may well be there.
    private(set) var failed = false
    /// The limits were reached.
    private(set) var exhausted = false
    private let source: any ByteSource
    private let head: [UInt8]
    private var blocks: [(offset: UInt64, bytes: [UInt8])] = []
    private var oldest = 0
    private var budget: Int
    private var fuel: Int

    /// A head holds the whole metadata of most files; a short one, what says how the file is built.
    static let headSize = 64 << 10, shortHeadSize = 16 << 10, blockSize = 8 << 10, blocksKept = 4

    /// - Parameters:
    ///   - head: bytes that are read at once.
    ///   - budget: bytes that may be read in all.
    ///   - fuel: accesses in all.
    init(_ source: any ByteSource, head: Int = headSize, budget: Int = 4 << 20, fuel: Int = 100_000) {
        (self.source, size, self.budget, self.fuel) = (source, source.size, budget, fuel)
        let read = source.read(at: 0, count: head)
        (self.head, failed) = (read ?? [], read == nil)
    }

    var whole: ByteRegion { ByteRegion(self, 0, size) }

    /// Exactly `count` bytes at `offset`, or nil.
    func bytes(_ offset: UInt64, _ count: Int) -> Bytes? {
        guard spend(), count >= 0, UInt64(count) <= size, offset <= size - UInt64(count) else { return nil }
        if let found = Self.cut(offset, count, from: head, at: 0) { return found }
        for block in blocks {
            if let found = Self.cut(offset, count, from: block.bytes, at: block.offset) { return found }
        }
        return load(offset, count)
    }

    private func spend() -> Bool {
        guard fuel > 0 else { exhausted = true; return false }
        fuel -= 1
        return true
    }

    private static func cut(_ offset: UInt64, _ count: Int, from block: [UInt8], at start: UInt64) -> Bytes? {
        guard offset >= start, offset - start <= UInt64(block.count) else { return nil }
        return Bytes(block).part(Int(offset - start), count)
    }

    /// Up to `count` bytes for a pass over the whole file: neither kept nor counted.
    func stream(_ offset: UInt64, _ count: Int) -> [UInt8]? {
        let bytes = source.read(at: offset, count: count)
        if bytes == nil { failed = true }
        return bytes
    }

    private func load(_ offset: UInt64, _ count: Int) -> Bytes? {
        let wanted = max(count, min(Self.blockSize, budget))
        guard wanted <= budget else { exhausted = true; return nil }
        budget -= wanted
        guard let bytes = source.read(at: offset, count: wanted) else { failed = true; return nil }
        if blocks.count < Self.blocksKept {
            blocks.append((offset, bytes))
        } else {
            blocks[oldest] = (offset, bytes)
            oldest = (oldest + 1) % Self.blocksKept
        }
        return Bytes(bytes).part(0, count)
    }
}

/// A part of a file that has its own offsets: a box, an embedded JPEG, a TIFF structure.
///
/// Nothing outside is reachable through it.
struct ByteRegion {
    let window: ByteWindow
    /// From the file's beginning.
    let start: UInt64
    let count: UInt64

    init(_ window: ByteWindow, _ start: UInt64, _ count: UInt64) {
        (self.window, self.start, self.count) = (window, start, count)
    }

    /// Exactly `length` bytes at `offset`, or nil.
    func bytes(_ offset: UInt64, _ length: Int) -> Bytes? {
        guard length >= 0, offset <= count, UInt64(length) <= count - offset else { return nil }
        return window.bytes(start + offset, length)
    }

    /// As many as there are, at most `limit`.
    func upTo(_ limit: Int, at offset: UInt64 = 0) -> Bytes {
        guard offset < count else { return .none }
        return bytes(offset, Int(min(UInt64(limit), count - offset))) ?? .none
    }

    /// Nil unless all of it lies inside.
    func part(_ offset: UInt64, _ length: UInt64) -> ByteRegion? {
        guard offset <= count, length <= count - offset else { return nil }
        return ByteRegion(window, start + offset, length)
    }

    /// All from `offset` on; nil behind the end.
    func from(_ offset: UInt64) -> ByteRegion? { offset <= count ? part(offset, count - offset) : nil }

    func u16(_ offset: UInt64, _ order: ByteOrder) -> UInt16? { bytes(offset, 2)?.u16(0, order) }
    func u32(_ offset: UInt64, _ order: ByteOrder) -> UInt32? { bytes(offset, 4)?.u32(0, order) }
    func u64(_ offset: UInt64, _ order: ByteOrder) -> UInt64? { bytes(offset, 8)?.u64(0, order) }
}
