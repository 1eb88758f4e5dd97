import CZlib

/// DEFLATE in its zlib wrapping (RFC 1950, 1951), for the few kilobytes of a PNG's compressed text.
///
/// The checksum is not looked at: text that a damaged byte changed is still worth reading.
enum Inflate {
    /// Nil when the data is broken or gives more than `limit` bytes.
    static func zlib(_ bytes: Bytes, limit: Int) -> [UInt8]? {
        guard let method = bytes[0], let flags = bytes[1], method & 0xF == 8, flags & 0x20 == 0,
            case var packed = bytes.from(2).array, !packed.isEmpty
        else { return nil }
        var stream = z_stream()
        // zlib remembers where the stream lies, so that it must not move between the calls.
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
                return nil
            }
            defer { inflateEnd(stream) }
            return unpacked(&packed, stream, limit)
        }
    }

    private static func unpacked(
        _ packed: inout [UInt8], _ stream: UnsafeMutablePointer<z_stream>, _ limit: Int
    ) -> [UInt8]? {
        // What says that it is longer than anything that is read here is not read.
        guard packed.count <= Int(UInt32.max), limit <= Int(UInt32.max) - 1 else { return nil }
        var isWhole = false
        let plain = packed.withUnsafeMutableBufferPointer { input in
            // One byte more: data that ends exactly at the limit has its end of block still to come.
            [UInt8](unsafeUninitializedCapacity: limit + 1) { output, count in
                (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(limit + 1))
                isWhole = inflate(stream, Z_FINISH) == Z_STREAM_END
                count = limit + 1 - Int(stream.pointee.avail_out)
            }
        }
        return isWhole && plain.count <= limit ? plain : nil
    }
}
