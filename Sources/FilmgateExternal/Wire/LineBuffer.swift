/// Cuts a stream into lines, none longer than `limit`.
struct LineBuffer {
    enum Next: Equatable { case line([UInt8]), none, tooLong }

    private var bytes: [UInt8] = [], start = 0, looked = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func append(_ more: ArraySlice<UInt8>) {
        if start > 65_536 || start == bytes.count {
            bytes.removeFirst(start)
            (looked, start) = (looked - start, 0)
        }
        bytes += more
    }

    /// The next whole line, without its end (`\n` or `\r\n`).
    mutating func next() -> Next {
        guard let end = bytes[looked...].firstIndex(of: 0x0A) else {
            looked = bytes.count
            return bytes.count - start > limit ? .tooLong : .none
        }
        guard end - start <= limit else { return .tooLong }
        var line = Array(bytes[start..<end])
        if line.last == 0x0D { line.removeLast() }
        (start, looked) = (end + 1, end + 1)
        return .line(line)
    }

    /// What stands there without an end; forgets it.
    mutating func rest() -> [UInt8] {
        defer { (bytes, start, looked) = ([], 0, 0) }
        return Array(bytes[start...].prefix(limit))
    }
}
