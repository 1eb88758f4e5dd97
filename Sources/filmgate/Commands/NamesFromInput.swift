import FileKit
import FilmgateCore
import Glibc

/// The names that a command is given, with `-` for those that its standard input has, a line each.
enum NamesFromInput {
    /// Bytes that all names take in the one line in which they go to the run that holds the state.
    private static let most = 3_600_000

    /// All of them; nil where none was given.
    ///
    /// What was read is kept in `invocation`: where the job is handed over it goes with it, as the run has another
    /// standard input.
    static func read(_ words: [String], _ invocation: inout Invocation) throws -> [String]? {
        guard words.contains("-") else { return words.isEmpty ? nil : words }
        let lines = try invocation.input ?? (invocation.job == nil ? ownLines() : [])
        guard !lines.isEmpty else { throw Refusal("Standard input names no file.") }
        // Signs that JSON escapes take several bytes there.
        let size = (words + lines).reduce(0) { $0 + JSONString.quoted($1).utf8.count + 1 }
        if size > most { throw tooMany }
        invocation.input = lines
        return words.flatMap { $0 == "-" ? lines : [$0] }
    }

    private static func ownLines() throws -> [String] {
        var bytes: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
            guard bytes.count <= most else { throw tooMany }
        }
        return bytes.split(separator: 0x0A).map { String(pathBytes: Array($0)) }
    }

    private static var tooMany: Refusal {
        Refusal("Standard input names more files than one command takes: \(most) bytes are the most.")
    }
}
