import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import filmgate

/// Clients of a run that are slow, and a run that has no descriptors left for them.
@Suite(.ownThreads, .serialized) struct ServiceFaultTests {
    private func start(_ table: Table, _ more: [String] = []) throws -> Background {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let pipeline = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))" } } ]
            stages: [ { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"] + more)
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    /// Empty where nobody answers within ten seconds.
    private func metrics(_ port: Int) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = ["-s", "-m", "10", "http://127.0.0.1:\(port)/metrics"]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// A connection to the metrics' port.
    private func connection(_ port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        (name.sin_family, name.sin_port, name.sin_addr.s_addr) = (
            sa_family_t(AF_INET), UInt16(port).bigEndian, inet_addr("127.0.0.1")
        )
        let code = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0)
        return descriptor
    }

    private func limit(_ run: Background, _ count: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        process.arguments = ["--pid", String(run.process.processIdentifier), "--nofile=\(count)"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")))
    func connectionsAreTakenAgainWhenThereAreDescriptorsAgain() throws {
        let table = try Table(), port = FreePort.next()
        let run = try start(table, ["--metrics", "127.0.0.1:\(port)"])
        #expect(Background.within(seconds: 10) { (try? metrics(port).contains("filmgate")) == true })
        try limit(run, "5:4096")
        let waiting = try connection(port)
        defer { close(waiting) }
        // Handed over or not: nobody takes the connection now.
        let asking = Process()
        asking.executableURL = URL(fileURLWithPath: Program.path)
        asking.arguments = ["status", "--board", "--state", table.state]
        (asking.standardOutput, asking.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try asking.run()
        Thread.sleep(forTimeInterval: 0.5)
        asking.terminate()
        asking.waitUntilExit()
        try limit(run, "4096:4096")
        try #require(try metrics(port).contains("filmgate"))
        try table.frames("card", count: 1, from: 1)
        #expect(try table.run(["import", table.path("card"), "--to", table.path("other")]).status == 0)
        #expect(run.kill(SIGINT).status == 130)
    }

    /// Who sends a request letter by letter is given up, and the next one is answered.
    @Test func aSlowClientKeepsNobodyWaiting() throws {
        let table = try Table(), port = FreePort.next()
        let run = try start(table, ["--metrics", "127.0.0.1:\(port)"])
        let slow = try connection(port), isAnswered = Atomic(false), isOver = DispatchSemaphore(value: 0)
        DispatchQueue(label: "beside").async {
            for _ in 0..<120 where !isAnswered.load(ordering: .relaxed) {
                _ = send(slow, "G", 1, Int32(MSG_NOSIGNAL))
                Thread.sleep(forTimeInterval: 0.25)
            }
            close(slow)
            isOver.signal()
        }
        Thread.sleep(forTimeInterval: 0.3)
        let text = try metrics(port)
        #expect(text.contains("filmgate"))
        // It was answered while the other one was still at it.
        #expect(isOver.wait(timeout: .now()) == .timedOut)
        isAnswered.store(true, ordering: .relaxed)
        isOver.wait()
        #expect(run.kill(SIGINT).status == 130)
    }

    /// Each of them would take three seconds, one after the other.
    @Test func manySlowClientsKeepNobodyWaiting() throws {
        let table = try Table(), port = FreePort.next()
        let run = try start(table, ["--metrics", "127.0.0.1:\(port)"])
        let slow = try (0..<12).map { _ in try connection(port) }
        defer { for client in slow { close(client) } }
        for client in slow { #expect(send(client, "G", 1, Int32(MSG_NOSIGNAL)) == 1) }
        let begun = ContinuousClock.now
        #expect(try metrics(port).contains("filmgate"))
        #expect(.now - begun < .seconds(20))
        #expect(run.kill(SIGINT).status == 130)
    }

    /// Something moves all the time, and still it ends.
    @Test func whoReadsTooSlowlyIsHungUp() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let stream = LineStream(owning: ends[0], within: .milliseconds(400)), reader = ends[1]
        let isOver = DispatchSemaphore(value: 0)
        DispatchQueue(label: "beside").async {
            var byte = [UInt8](repeating: 0, count: 1024)
            for _ in 0..<10_000 where read(reader, &byte, byte.count) > 0 { usleep(5000) }
            isOver.signal()
        }
        #expect(!stream.send(String(repeating: "x", count: 8 << 20)))
        #expect(!stream.send("more"))
        // What was sent by then is still read, and then the end.
        #expect(isOver.wait(timeout: .now() + 30) == .success)
        close(reader)
    }
}
