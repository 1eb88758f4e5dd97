import CZlib

/// The form in which files of the page go over the line.
///
/// Only what lies in the program is packed: the length of an answer that holds what is secret beside what a stranger
/// chose, such as the name of a file, would tell of the secret.
enum Gzip {
    /// Nil where zlib cannot, or where it saves nothing.
    static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes, stream = z_stream()
        // zlib remembers where the stream lies, so that it must not move between the calls.
        return withUnsafeMutablePointer(to: &stream) { stream in
            // 16 more than the largest window asks for the head and the end of gzip.
            guard
                deflateInit2_(
                    stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY,
                    ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { return nil }
            defer { deflateEnd(stream) }
            let room = Int(deflateBound(stream, UInt(bytes.count)))
            var isWhole = false
            let packed = bytes.withUnsafeMutableBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: room) { output, count in
                    (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                    (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(room))
                    isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
                    count = room - Int(stream.pointee.avail_out)
                }
            }
            return isWhole && packed.count < bytes.count ? packed : nil
        }
    }

    /// Whether a client that sends these values of `Accept-Encoding` takes it.
    static func isTaken(_ accepted: [String]) -> Bool {
        var taken: [String: Bool] = [:]
        for one in accepted.joined(separator: ",").split(separator: ",") {
            let parts = one.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            taken[name] = weight > 0
        }
        return taken["gzip"] ?? taken["*"] ?? false
    }
}
