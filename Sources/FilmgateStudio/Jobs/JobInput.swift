import FilmgateCore
import Glibc
import Synchronization

/// What a command reads from its standard input: names of files, a line each.
struct JobInput: Sendable, Equatable {
    /// By which it is known once its bytes are forgotten: very many names are not kept for as long as a job is.
    private(set) var mark = ""
    /// More than one where one command does not take them all: then it is begun for each, one after the other.
    private(set) var parts: [[UInt8]] = []
    private(set) var count = 0

    init() {}
    init(_ names: [String]) { add(names) }

    /// Names for a command of their own.
    mutating func add(_ names: [String]) {
        let text = names.map { $0 + "\n" }.joined()
        mark = AccessSecret.hexadecimal(Array(AccessSecret.digest(mark + text).prefix(8)))
        parts.append(Array(text.utf8))
        count += 1
    }

    mutating func forget() { parts = [] }

    static func == (one: JobInput, other: JobInput) -> Bool { one.mark == other.mark }
}

/// What the commands of a job read, one after the other: what was read is not kept any longer.
final class JobParts: Sendable {
    private let left: Mutex<[[UInt8]]>
    let whole: Int

    init(_ input: JobInput?) {
        let parts = input?.parts ?? []
        left = Mutex(parts)
        whole = parts.count
    }

    var count: Int { left.withLock(\.count) }
    /// Nil where there is none.
    func next() -> [UInt8]? { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
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
