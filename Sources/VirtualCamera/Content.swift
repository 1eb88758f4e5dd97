import Glibc

/// Bytes of a virtual object: held in memory, in a file, or computed, so that an object of many gigabytes costs
/// nothing.
public enum Content: Sendable, Hashable {
    case bytes([UInt8])
    case file(path: String, size: UInt64)
    /// `size` bytes that follow from `seed` and position alone.
    case pattern(seed: UInt64, size: UInt64)

    public var size: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .file(_, let size), .pattern(_, let size): size
        }
    }

    /// Copies up to `buffer.count` bytes from `offset` on; returns how many.
    ///
    /// 0 at the end, or when the file cannot be read.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < size else { return 0 }
        let count = Int(min(UInt64(buffer.count), size - offset))
        switch self {
        case .bytes(let bytes):
            let start = Int(offset)
            buffer.copyBytes(from: bytes[start..<start + count])
            return count
        case .file(let path, _):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return 0 }
            defer { close(descriptor) }
            return max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        case .pattern(let seed, _):
            Self.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), seed, offset)
            return count
        }
    }

    /// A range as an array; shorter at the end.
    public func slice(at offset: UInt64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Eight bytes at a time, each word a function of seed and place.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, _ seed: UInt64, _ offset: UInt64) {
        var done = 0
        while done < buffer.count {
            let position = offset + UInt64(done)
            var word = ((position / 8 &+ seed &* 0x1_0000_0001) &* 0x9E37_79B9_7F4A_7C15).littleEndian
            word ^= word >> 29
            let skip = Int(position % 8)
            let count = min(8 - skip, buffer.count - done)
            if count == 8 {
                buffer.storeBytes(of: word, toByteOffset: done, as: UInt64.self)
            } else {
                withUnsafeBytes(of: word) { bytes in
                    for index in 0..<count { buffer[done + index] = bytes[skip + index] }
                }
            }
            done += count
        }
    }
}
