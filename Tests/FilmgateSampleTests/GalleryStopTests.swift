import FilmgateCore
import FilmgateSample
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct GalleryStopTests {
    /// NIO ends the process when a connection that was accepted is dropped before anybody took it up.
    @Test func mayBeStoppedWhileClientsConnect() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<25 {
            let gallery = try GalleryServer(directory: folder.path + "/gallery", token: "t0ken")
            let port = try await gallery.start()
            let callers = Task { () -> Int in (0..<60).reduce(0) { count, _ in call(port) ? count + 1 : count } }
            await Task.yield()
            await gallery.stop()
            _ = await callers.value
            await gallery.stop()
        }
    }

    /// Connects and hangs up.
    @Sendable func call(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) == 0 }
        }
    }
}
