import FilmgateCore
import Foundation
import TestThreads
import Testing

/// Those who watch a run over its control socket.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ControlWatchTests {
    /// A connection to `control.sock`, as the page has one.
    final class Connection {
        private let descriptor: Int32
        private var bytes: [UInt8] = [], lines: [String] = []

        /// Nil when nobody listens there.
        init?(_ state: String, _ request: String) {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = Array((state + "/control.sock").utf8)
            guard path.count < 107 else { return nil }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard code == 0 else { return nil }
            // struct timeval
            var limit = [20, 0]
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
            let line = Array((request + "\n").utf8)
            _ = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
        }

        deinit { close(descriptor) }

        /// The next line that has such a member; nil at the end of all.
        func next(_ member: String) -> JSONValue? {
            while true {
                while !lines.isEmpty {
                    let line = lines.removeFirst()
                    if let object = JSONValue(Array(line.utf8)), object[member] != nil { return object }
                }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return nil }
                bytes += buffer[..<count]
                while let end = bytes.firstIndex(of: 0x0A) {
                    lines.append(String(decoding: bytes[..<end], as: UTF8.self))
                    bytes.removeSubrange(...end)
                }
            }
        }
    }

    static let watch = #"{"watch":{"instance":"","since":0}}"#

    private func hot(_ table: Table) throws -> Background {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(
            ["watch", table.path("hot"), "--to", table.archive, "--settle", "50ms", "--state", table.state, "--json"])
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    @Test func aRunTellsOfEachFile() throws {
        let table = try Table(), run = try hot(table), reader = try #require(Connection(table.state, Self.watch))
        let hello = try #require(reader.next("hello"))
        #expect(hello["gap"]?.flag == true)
        let before = WallClock.nanoseconds
        try table.frames("hot", count: 3, from: 0)
        var names: Set<String> = [], last: Int64 = 0
        while names.count < 3, let line = reader.next("change") {
            let number = try #require(line["number"]?.whole), at = try #require(line["at"]?.whole)
            #expect(number > last && at >= before)
            last = number
            guard line["key"]?.string?.hasPrefix("asset ") == true else { continue }
            #expect(line.at("change.type")?.string == "item" && line.at("change.ending")?.string == "delivered")
            names.insert(try #require(line.at("change.path")?.string))
        }
        #expect(names.count == 3)
        // Who was away for a while is told what came since.
        let request = #"{"watch":{"instance":"\#(hello["hello"]?.string ?? "")","since":\#(last - 1)}}"#
        let again = try #require(Connection(table.state, request))
        #expect(again.next("hello")?["gap"]?.flag == false)
        #expect(again.next("change")?["number"]?.whole == last)
        #expect(try table.run(["pause"]).status == 0)
        while let line = reader.next("change") {
            guard line["key"]?.string == "run" else { continue }
            #expect(line.at("change.paused")?.flag == true)
            break
        }
        #expect(run.kill(SIGTERM).status == 143)
        #expect(reader.next("never") == nil)
    }

    /// It is told that the run is there although nothing happens.
    @Test func aQuietRunIsHeard() throws {
        let table = try Table(), run = try hot(table), reader = try #require(Connection(table.state, Self.watch))
        #expect(reader.next("alive") != nil)
        run.kill(SIGTERM)
    }

    /// Nobody has to read what is told for the run to go on.
    @Test func whoDoesNotReadHoldsNobodyUp() throws {
        let table = try Table(), run = try hot(table)
        let silent = (0..<4).compactMap { _ in Connection(table.state, Self.watch) }
        #expect(silent.count == 4)
        try table.frames("hot", count: 200, from: 0)
        #expect(Background.within(seconds: 60) { table.files(table.archive).count == 200 })
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// `import` is watched as well, but takes no jobs.
    @Test func anImportIsWatchedAndTakesNoJobs() throws {
        let table = try Table(), gallery = try Gallery(table)
        // It is tried again and again, so that the import goes on.
        gallery.stop()
        try table.frames("CARD", count: 2, from: 0)
        let pipeline = try table.live("p.yaml", gallery, ["- card: { paths: [\"\(table.card)\"] }"])
        let taking = try Background(
            ["import", table.card, "--pipeline", pipeline, "--wait", "30s", "--state", table.state, "--json"],
            environment: Gallery.environment)
        var reader: Connection?
        #expect(
            Background.within(seconds: 20) {
                reader = Connection(table.state, Self.watch)
                return reader != nil
            })
        #expect(reader?.next("hello") != nil)
        let board = Connection(table.state, #"{"arguments":["status","--board"],"folder":"/"}"#)?.next("out")?["out"]?
            .string
        #expect(board?.contains(#""type":"board""#) == true)
        let other = try table.run(["import", table.card, "--to", table.archive])
        #expect(other.status == 10, "\(other.errors)")
        taking.kill(SIGINT)
        #expect(reader?.next("never") == nil)
        #expect(!FileManager.default.fileExists(atPath: table.state + "/control.sock"))
    }

    /// The socket that a run finds at its end may be that of the next one.
    @Test func anothersSocketIsLeft() throws {
        let table = try Table(), run = try hot(table), path = table.state + "/control.sock"
        try FileManager.default.removeItem(atPath: path)
        try Data("another's".utf8).write(to: URL(fileURLWithPath: path))
        run.kill(SIGTERM)
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
