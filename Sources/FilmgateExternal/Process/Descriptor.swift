import Glibc
import Synchronization

/// An open file of this process, closed once.
final class Descriptor: Sendable {
    let number: CInt
    private let isOpen = Atomic(true)

    init(_ number: CInt) { self.number = number }
    deinit { close() }

    func close() { if isOpen.exchange(false, ordering: .relaxed) { Glibc.close(number) } }

    func neverBlock() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    enum Reading { case bytes(Int), later, end }

    /// What is there now, into `buffer`.
    func read(into buffer: inout [UInt8]) -> Reading {
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .later : .end
        }
    }

    /// As much as goes; nil when nobody reads any more.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : nil
        }
    }
}

/// Both ends of a pipe; children inherit neither unless it is given to them.
struct Pipe {
    let reading: Descriptor, writing: Descriptor

    init?() {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
}
