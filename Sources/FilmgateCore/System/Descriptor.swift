import CLinux
import Glibc
import Synchronization

/// An open file of this process, closed once.
package final class Descriptor: Sendable {
    package let number: CInt
    private let open = Atomic(true)

    package init(_ number: CInt) { self.number = number }
    deinit { close() }

    package var isOpen: Bool { open.load(ordering: .relaxed) }

    package func close() { if open.exchange(false, ordering: .relaxed) { Glibc.close(number) } }

    package func neverBlock() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    package enum Reading { case bytes(Int), later, end }

    /// What is there now, into `buffer`.
    package func read(into buffer: inout [UInt8]) -> Reading {
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .later : .end
        }
    }

    /// As much as goes; nil when nobody reads any more.
    package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : nil
        }
    }
}

/// Both ends of a pipe; programs inherit neither unless it is given to them.
package struct PipeEnds {
    package let reading: Descriptor, writing: Descriptor

    package init?() {
        var ends: [CInt] = [-1, -1]
        // At once: another thread may begin a program between two calls.
        guard fg_pipe(&ends) == 0 else { return nil }
        (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
    }
}
