import FilmgateCore
import Glibc
import Testing

@Suite struct LocalListenerTests {
    private func connected(to port: Int) -> CInt {
        let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(code == 0)
        return client
    }

    @Test func clientsComeOneAfterTheOtherUntilItIsShut() async throws {
        let listener = try LocalListener(host: "127.0.0.1", port: 0), (clients, feed) = AsyncStream<CInt>.makeStream()
        #expect(listener.port > 0)
        listener.open { feed.yield($0) }
        var next = clients.makeAsyncIterator()
        for _ in 0..<3 {
            let ours = connected(to: listener.port), theirs = try #require(await next.next())
            #expect(fcntl(theirs, F_GETFD) & FD_CLOEXEC != 0)
            close(ours)
            close(theirs)
        }
        listener.shut()
    }

    @Test func aPortThatIsTakenSaysSo() throws {
        let first = try LocalListener(host: "127.0.0.1", port: 0)
        let failure = #expect(throws: LocalListener.Failure.self) {
            try LocalListener(host: "127.0.0.1", port: UInt16(first.port))
        }
        #expect(failure?.code == EADDRINUSE)
        #expect(throws: LocalListener.Failure.self) { try LocalListener(path: { _ in false }) }
    }
}
