import FilmgateCore
import Glibc

/// How large a file the checks of memory send.
enum BigFile {
    /// `FILMGATE_BIG_FILE` in bytes; 256 MiB without it, which is more than any buffer and still quick.
    static let size = getenv("FILMGATE_BIG_FILE").flatMap { UInt64(String(cString: $0)) } ?? 256 << 20
}

/// Bytes of this process in memory now.
func residentBytes() throws(CheckFailure) -> Int {
    var text = [CChar](repeating: 0, count: 200)
    guard let file = fopen("/proc/self/statm", "r") else { throw CheckFailure("No /proc.") }
    defer { fclose(file) }
    fgets(&text, Int32(text.count), file)
    let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
        separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { throw CheckFailure("No /proc/self/statm.") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
}

/// The most memory that this process had while `body` ran, looked at every 20 ms.
func peakMemory(_ body: @escaping @Sendable () async throws(IngestError) -> Void) async throws -> Int {
    try await withThrowingTaskGroup(of: Int?.self) { group in
        group.addTask {
            try await body()
            return nil
        }
        group.addTask {
            var peak = 0
            while !Task.isCancelled {
                peak = max(peak, try residentBytes())
                try? await Task.sleep(for: .milliseconds(20))
            }
            return peak
        }
        _ = try await group.next()
        group.cancelAll()
        return try await group.next().flatMap { $0 } ?? 0
    }
}
