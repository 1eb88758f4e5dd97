import FilmgateCore
import Glibc

/// What a command reads from its standard input: names of files, a line each.
struct JobInput: Sendable, Equatable {
    /// By which it is known once its bytes are forgotten: very many names are not kept for as long as a job is.
    let mark: String
    private(set) var bytes: [UInt8]

    init(_ names: [String]) {
        let text = names.map { $0 + "\n" }.joined()
        (mark, bytes) = (AccessSecret.hexadecimal(Array(AccessSecret.digest(text).prefix(8))), Array(text.utf8))
    }

    mutating func forget() { bytes = [] }

    static func == (one: JobInput, other: JobInput) -> Bool { one.mark == other.mark }
}

/// The two ends of a command's standard input: a socket, as who writes into a pipe is ended with the one that reads it.
struct InputEnds: Sendable {
    let reading: Descriptor
    private let writing: Descriptor

    init?() {
        var pair: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            return nil
        }
        (reading, writing) = (Descriptor(pair[0]), Descriptor(pair[1]))
    }

    /// In the background, to the end, or until nobody reads any more.
    func write(_ bytes: [UInt8]) {
        BlockingThread.run {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(writing.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            writing.close()
        }
    }
}
