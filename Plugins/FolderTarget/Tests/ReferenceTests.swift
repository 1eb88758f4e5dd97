import FileKit
import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FolderTarget

/// Runs the reference `ascmhl` over our histories; ASCMHL names its program (`Tests/Scenarios/Peers/ascmhl.sh` sets
/// it).
@Suite(.enabled(if: getenv("ASCMHL") != nil)) struct ReferenceTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture() }

    private func ascmhl(_ tool: String, _ arguments: String...) throws -> Int32 {
        let program = String(cString: try #require(getenv("ASCMHL")))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool.isEmpty ? program : program + "-" + tool)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func run(_ files: [String: [UInt8]], in folder: String = "") async throws {
        let target = try fixture.target { ($0.mhl, $0.path) = (true, Template(fixture.root + folder)) }
        var done: [DeliveredFile] = []
        for (path, bytes) in files {
            let job = try fixture.job(path, bytes)
            done.append(try delivered(try await target.upload(job), job))
        }
        try await target.finishRun(done)
    }

    @Test func itAgreesOverTheYears() async throws {
        try await run(["w/a.jpg": [1], "w/empty.xmp": [], "x/a&b <c> \"é🌄\".jpg": [3], "top.jpg": [4]])
        #expect(try ascmhl("", "diff", fixture.root) == 0)
        #expect(try ascmhl("debug", "verify", fixture.root) == 0)
        #expect(try ascmhl("debug", "verify", "-dh", fixture.root) == 0)
        try await run(["w/b.jpg": [5]])
        #expect(try ascmhl("", "diff", fixture.root) == 0)
        #expect(try ascmhl("debug", "verify", fixture.root) == 0)
        #expect(try ascmhl("", "create", "-h", "xxh128", fixture.root) == 0)
        try await run(["y/c.jpg": [6]])
        #expect(try ascmhl("", "diff", fixture.root) == 0)
        #expect(try ascmhl("", "info", "-v", fixture.root) == 0)
        try write([9], fixture.root + "/stranger")
        #expect(try ascmhl("", "diff", fixture.root) == 21)
        unlink(fixture.root + "/stranger")
        try Data([8]).write(to: URL(fileURLWithPath: fixture.root + "/w/a.jpg"))
        #expect(try ascmhl("debug", "verify", fixture.root) == 11)
    }

    @Test func itAgreesOnHistoriesInsideHistories() async throws {
        try await run(["a.jpg": [1]], in: "/w")
        try await run(["w/b.jpg": [2], "v/c.jpg": [3]])
        #expect(try ascmhl("", "diff", fixture.root) == 0)
        #expect(try ascmhl("debug", "verify", fixture.root) == 0)
        #expect(try ascmhl("", "create", "-h", "xxh128", fixture.root) == 0)
        try await run(["w/d.jpg": [4]])
        #expect(try ascmhl("", "diff", fixture.root) == 0)
        #expect(try ascmhl("", "diff", fixture.root + "/w") == 0)
    }

    @Test(.enabled(if: getenv("ASCMHL_XSD") != nil)) func ourManifestsFollowTheSchema() async throws {
        let schema = String(cString: try #require(getenv("ASCMHL_XSD")))
        try await run(["a.jpg": [1]], in: "/w")
        try await run(["w/b.jpg": [2], "v/c.jpg": [3]])
        try await run(["w/e.jpg": [2]])
        for folder in ["/ascmhl", "/w/ascmhl"] {
            for name in try FileSystem.names(in: fixture.root + folder) where name.hasSuffix(".mhl") {
                #expect(
                    try ascmhl("debug", "xsd-schema-check", "-xsd", schema, "\(fixture.root)\(folder)/\(name)") == 0)
            }
        }
    }
}
