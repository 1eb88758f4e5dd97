import Glibc

/// The socket in the state directory; a name of any length, although the kernel's own limit is 107 bytes.
enum ControlPath {
    static let name = "control.sock"

    /// Calls `body` with the socket's address; nil when the directory cannot be opened.
    static func withAddress<Value>(in state: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value? {
        let directory = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(directory)/\(name)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
