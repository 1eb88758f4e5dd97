import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// What systemd is told of a run.
@Suite(.ownThreads) struct ServiceNoticeTests {
    /// A datagram socket as systemd has one.
    private final class Listener {
        private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        private(set) var heard: [String] = []

        init(_ path: String) {
            var address = sockaddr_un(), limit = timeval(tv_sec: 0, tv_usec: 20_000)
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            #expect(code == 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// False when it is not said within half a minute.
        func hears(_ text: String) -> Bool {
            Background.within(seconds: 30) {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(self.descriptor, &bytes, bytes.count, 0)
                if count > 0 { self.heard.append(String(decoding: bytes[..<count], as: UTF8.self)) }
                return self.heard.contains { $0.contains(text) }
            }
        }

        func forget() { heard = [] }
    }

    private func start(_ table: Table, _ server: FaultServer) throws -> (Background, Listener) {
        let listener = Listener(table.path("n"))
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [{ folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms } }]
            stages: [{ exif: {} }, { upload: { to: [gallery] } }]
            targets: { gallery: { http: { url: "\(server.url)/{name}", method: PUT } } }
            """)
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(
            ["run", file, "--state", table.state, "--json"], environment: ["NOTIFY_SOCKET": table.path("n")])
        #expect(listener.hears("READY=1"))
        return (run, listener)
    }

    /// What is in flight may take long: systemd is told before it has ended.
    @Test func stoppingIsToldAtOnce() throws {
        let server = try FaultServer { seen, _ in seen.method == "PUT" ? .silence : .answer(404) }, table = try Table()
        defer { server.stop() }
        let (run, listener) = try start(table, server)
        try table.frames("hot", count: 1, from: 0)
        #expect(Background.within(seconds: 30) { server.seen.contains { $0.method == "PUT" } })
        kill(run.process.processIdentifier, SIGTERM)
        #expect(listener.hears("STOPPING=1") && run.process.isRunning)
        #expect(run.kill(SIGTERM).status == 143)
    }

    @Test func aReloadDoesNotHideThatTheRunIsPaused() throws {
        let server = try FaultServer { _, _ in .answer(404) }, table = try Table()
        defer { server.stop() }
        let (run, listener) = try start(table, server)
        #expect(try table.run(["pause"]).status == 0)
        #expect(listener.hears("STATUS=Paused"))
        listener.forget()
        kill(run.process.processIdentifier, SIGHUP)
        #expect(listener.hears("RELOADING=1\nMONOTONIC_USEC=") && listener.hears("READY=1"))
        #expect(
            listener.heard.filter { $0.contains("READY=1") }.allSatisfy { $0.contains("Paused") }, "\(listener.heard)")
        #expect(run.kill(SIGTERM).status == 143)
    }
}
