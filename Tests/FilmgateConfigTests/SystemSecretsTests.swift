import FilmgateCore
import Foundation
import Testing

@testable import FilmgateConfig

/// One test's own folder, removed afterwards.
final class Scratch {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "filmgate-secrets-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}

@Suite struct SystemSecretsTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    func secrets(_ environment: [String: String] = [:]) -> SystemSecrets { SystemSecrets { environment[$0] } }

    func mistake(_ secret: Secret.Reference, _ environment: [String: String] = [:]) -> IngestError? {
        do throws(IngestError) {
            _ = try secrets(environment).resolve(Secret(secret))
            return nil
        } catch { return error }
    }

    @Test func environment() throws {
        #expect(try secrets(["A": "canary"]).resolve(Secret(.environment("A"))).reveal() == "canary")
        #expect(mistake(.environment("B"))?.code == .misconfigured)
        #expect(mistake(.environment("B"))?.message.contains("${env:B}") == true)
        #expect(mistake(.environment("E"), ["E": ""])?.code == .misconfigured)
        #expect(mistake(.environment("L"), ["L": String(repeating: "x", count: 65_537)])?.code == .misconfigured)
    }

    @Test func files() throws {
        #expect(try secrets().resolve(Secret(.file(scratch.file("a", "canary\n")))).reveal() == "canary")
        #expect(try secrets().resolve(Secret(.file(scratch.file("b", "canary \r\n")))).reveal() == "canary ")
        #expect(try secrets().resolve(Secret(.file(scratch.file("d", "\u{FEFF}canary\r\n")))).reveal() == "canary")
        #expect(try secrets().resolve(Secret(.file(scratch.file("c", "one\ntwo\n\n")))).reveal() == "one\ntwo\n")
        #expect(try secrets(["HOME": scratch.path]).resolve(Secret(.file("~/a"))).reveal() == "canary")
        #expect(mistake(.file("~/a"))?.code == .misconfigured)
    }

    @Test func linksAreFollowedToWhatCounts() throws {
        let real = try scratch.file("real", "canary")
        try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/link", withDestinationPath: real)
        #expect(try secrets().resolve(Secret(.file("\(scratch.path)/link"))).reveal() == "canary")
        let open = try scratch.file("open", "canary", mode: 0o644)
        try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/way", withDestinationPath: open)
        #expect(mistake(.file("\(scratch.path)/way"))?.message.contains("can be read by others") == true)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o601]) func filesOfOthersAreRefused(mode: Int) throws {
        let path = try scratch.file("open", "canary", mode: mode)
        let error = try #require(mistake(.file(path)))
        #expect(error.code == .misconfigured && error.advice == "Run: chmod 600 \(path)")
        #expect(!"\(error)".contains("canary"))
    }

    @Test func whatIsNoSecretFileIsRefused() throws {
        #expect(mistake(.file(scratch.path))?.message.contains("not an ordinary file") == true)
        #expect(mistake(.file("\(scratch.path)/none"))?.message.contains("does not exist") == true)
        #expect(mistake(.file("/dev/zero"))?.message.contains("not an ordinary file") == true)
        mkfifo("\(scratch.path)/fifo", 0o600)
        #expect(mistake(.file("\(scratch.path)/fifo"))?.message.contains("not an ordinary file") == true)
        #expect(try mistake(.file(scratch.file("empty", "\n")))?.message.contains("is empty") == true)
        #expect(try mistake(.file(scratch.file("nul", "a\0b")))?.message.contains("NUL") == true)
        #expect(
            try mistake(.file(scratch.file("big", String(repeating: "x", count: 65_537))))?.message.contains("longer")
                == true)
        try Data([0x61, 0xFF]).write(to: URL(filePath: "\(scratch.path)/latin"))
        chmod("\(scratch.path)/latin", 0o600)
        #expect(mistake(.file("\(scratch.path)/latin"))?.message.contains("UTF-8") == true)
    }

    @Test func credentialsMayBeReadableByAGroup() throws {
        _ = try scratch.file("token", "canary\n", mode: 0o440)
        let environment = ["CREDENTIALS_DIRECTORY": scratch.path]
        #expect(try secrets(environment).resolve(Secret(.credential("token"))).reveal() == "canary")
        #expect(mistake(.credential("other"), environment)?.message.contains("does not exist") == true)
        #expect(mistake(.credential("token"))?.advice?.contains("LoadCredential=token") == true)
        #expect(mistake(.credential(".."), environment)?.code == .misconfigured)
        let outside = try Scratch()
        _ = try outside.file("open", "canary", mode: 0o644)
        #expect(
            mistake(.file("\(scratch.path)/../\(URL(filePath: outside.path).lastPathComponent)/open"), environment)?
                .code == .misconfigured)
        #expect(mistake(.file("\(outside.path)/open"), ["CREDENTIALS_DIRECTORY": "/"])?.code == .misconfigured)
    }

    @Test func noReferenceIsNoSecret() { #expect(mistake(.none)?.code == .misconfigured) }
}
