import AuthKit
import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Testing

@testable import ExecAuth

@Suite struct ExecAuthTests {
    let folder: ScratchFolder, clock = BenchClock()

    init() throws { folder = try ScratchFolder() }

    func make(_ script: String, _ options: [(String, String)] = []) throws -> ExecAuth {
        let program = folder.path + "/helper"
        let text = "#!/bin/sh\nread request\necho \"$request\" >> \(folder.path)/requests\n\(script)\n"
        try Data(text.utf8).write(to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let clock = clock
        let module = ExecAuth(
            try BenchModule.options(ExecAuth.Options.self, [("command", "[\(program), a b]")] + options),
            BenchModule.context(folder.path + "/state"),
            clock: { clock.now })
        try module.bind(to: "https://gallery.example")
        return module
    }

    var requests: [String] {
        String(decoding: FileManager.default.contents(atPath: folder.path + "/requests") ?? Data(), as: UTF8.self)
            .split(separator: "\n")
            .map(String.init)
    }
    let request = HTTPRequest("GET", "https://gallery.example/x")

    @Test func aBareTokenIsSentUntilItIsRefused() async throws {
        let module = try make("test \"$1\" = 'a b' && echo canary-$(wc -l < \(folder.path)/requests)")
        let signed = try await module.sign(request)
        #expect(signed[header: "Authorization"] == "Bearer canary-1")
        clock.advance(1_000_000)
        #expect(try await module.sign(request)[header: "Authorization"] == "Bearer canary-1")
        #expect(try await module.renew(after: Rejection(status: 401, request: signed)))
        #expect(try await module.sign(request)[header: "Authorization"] == "Bearer canary-2")
        #expect(requests == [#"{"action":"get","protocol":1}"#, #"{"action":"renew","protocol":1}"#])
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/state/secrets.json"))
    }

    @Test func jsonSaysHowLongItHolds() async throws {
        let module = try make(
            "echo '{\"token\":\"t'$(wc -l < \(folder.path)/requests)'\",\"expires_in\":900,\"account\":\"ann\"}'",
            [("header", "X-Key"), ("prefix", "")])
        #expect(try await module.sign(request)[header: "X-Key"] == "t1")
        #expect(try await module.restore(validating: false).state == .signedIn(Account(id: "ann")))
        clock.advance(850)
        let keys = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))[header: "X-Key"]
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys == ["t2"] && requests.count == 2)
    }

    @Test(arguments: [
        "exit 1", "exit 0", "printf 'a\\nb\\n'", "echo '{\"token\":\"\"}'", "echo '{\"x\":1}'",
        "echo '{\"token\":\"X\"'", "echo '<html>sign in</html>'", "kill -9 $$",
    ])
    func aHelperThatFailsHolds(_ script: String) async throws {
        let module = try make(script)
        let error = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(error?.code == .unauthorized)
    }

    /// In a process that never asked it for anything, too: what it keeps is its own.
    @Test func itIsToldOfTheSignOut() async throws {
        try await make("echo canary").signOut()
        #expect(requests == [#"{"action":"logout","protocol":1}"#])
    }

    @Test func otherOriginsGetNothing() async throws {
        let module = try make("echo canary")
        let error = await #expect(throws: IngestError.self) {
            try await module.sign(HTTPRequest("GET", "https://evil.example/x"))
        }
        #expect(error?.code == .untrusted && requests.isEmpty)
    }

    @Test(
        arguments: [[("command", "[helper]")], [], [("command", "[/x]"), ("header", "a b")]] as [[(String, String)]])
    func mistakesAreFound(_ options: [(String, String)]) {
        #expect(throws: ConfigError.self) { try BenchModule.options(ExecAuth.Options.self, options) }
    }
}
