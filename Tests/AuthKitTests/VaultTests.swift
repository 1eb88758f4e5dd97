import FilmgateCore
import Foundation
import Testing

@testable import AuthKit

/// One test's own folder, removed afterwards.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "filmgate-auth-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Everything below it, as one text.
    func everything(except: String? = nil) -> String {
        let names = (FileManager.default.enumerator(atPath: path)?.allObjects as? [String]) ?? []
        return names.filter { $0 != except }.map {
            $0 + String(decoding: FileManager.default.contents(atPath: path + "/" + $0) ?? Data(), as: UTF8.self)
        }
        .joined()
    }

    func mode(_ name: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int)
    }

    func script(_ name: String, _ text: String) throws -> String {
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path + "/" + name))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/" + name)
        return path + "/" + name
    }
}

@Suite struct VaultTests {
    let scratch: Scratch
    let silent = PassphraseSource(environment: { _ in nil })

    init() throws { scratch = try Scratch() }

    func vault(_ passphrase: String? = nil) -> Vault {
        Vault(directory: scratch.path, gate: PassphraseSource(environment: { _ in passphrase }))
    }

    @Test func keepsAndForgets() throws {
        let vault = vault()
        #expect(try vault.value("a") == nil)
        try vault.set("a", SecretValue("one \"\\\u{1} ü"))
        try vault.set("b", SecretValue("two"))
        #expect(try self.vault().value("a")?.reveal() == "one \"\\\u{1} ü")
        #expect(try scratch.mode("secrets.json") == 0o600 && scratch.mode("secrets.lock") == 0o600)
        try vault.set("a", nil)
        #expect(try vault.names() == ["b"])
        #expect(!scratch.everything().contains("one"))
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o602]) func othersMayNeitherReadNorWriteIt(_ mode: Int) throws {
        try vault().set("a", SecretValue("canary-value"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: vault().path)
        for attempt in [{ _ = try vault().value("a") }, { try vault().set("b", SecretValue("x")) }] {
            let error = #expect(throws: IngestError.self) { try attempt() }
            #expect(error?.code == .unauthorized && error?.advice?.contains("chmod 600") == true)
            #expect("\(error as Any)".contains("canary-value") == false)
        }
    }

    @Test func aFolderThatOthersCanChangeAndALinkAreRefused() throws {
        try vault().set("a", SecretValue("x"))
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
        #expect(throws: IngestError.self) { try vault().value("a") }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.path)
        try FileManager.default.moveItem(atPath: vault().path, toPath: scratch.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: vault().path, withDestinationPath: scratch.path + "/elsewhere")
        #expect(throws: IngestError.self) { try vault().value("a") }
    }

    /// After going back to an earlier release: the sign-ins in it are good.
    @Test func aStoreOfANewerReleaseIsLeftAlone() throws {
        try Data("{\"version\":2,\"entries\":{}}".utf8).write(to: URL(filePath: vault().path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault().path)
        let error = #expect(throws: IngestError.self) { try vault().set("a", SecretValue("x")) }
        #expect(error?.code == .unauthorized && error?.message.contains("newer Filmgate") == true)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"version\":0,\"entries\":{}}", "{\"version\":1,\"entries\":{\"a\":1}}",
        "{\"version\":1,\"entries\":{},\"wrap\":{}}",
        "{\"version\":1,\"entries\":{},\"wrap\":{\"kdf\":\"scrypt\",\"rounds\":1073741824,\"block\":8,\"parallel\":1,\"salt\":\"AAAAAAAAAAA=\",\"check\":\"\",\"idle\":1,\"hook\":[]}}",
    ])
    func aDamagedStoreIsSaidSoAndNotOverwritten(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: vault().path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault().path)
        let error = #expect(throws: IngestError.self) { try vault().set("a", SecretValue("x")) }
        #expect(error?.code == .unauthorized && error?.advice?.contains("login") == true)
        #expect(FileManager.default.contents(atPath: vault().path) == Data(text.utf8))
    }

    @Test func manyWritersLoseNothing() async throws {
        let path = scratch.path
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { try? Vault(directory: path).set("n\(number)", SecretValue("v\(number)")) }
            }
        }
        #expect(try vault().names().count == 40)
    }

    @Test func aPassphraseSealsEverything() throws {
        let vault = vault()
        try vault.set("account/studio", SecretValue("canary-plain"))
        try vault.protect(with: SecretValue("correct horse"))
        try vault.set("secret/b", SecretValue("canary-second"))
        #expect(!scratch.everything().contains("canary"))
        #expect(try self.vault("correct horse").value("account/studio")?.reveal() == "canary-plain")
        #expect(try self.vault("correct horse").value("secret/b")?.reveal() == "canary-second")
        for wrong in [nil, "", "wrong"] {
            let error = #expect(throws: IngestError.self) { try self.vault(wrong).value("account/studio") }
            #expect(error?.isLocked == true && error?.code == .unauthorized)
            #expect(throws: IngestError.self) { try self.vault(wrong).set("c", SecretValue("x")) }
        }
        try self.vault().set("secret/b", nil)
        try self.vault("correct horse").protect(with: nil)
        #expect(try self.vault().value("account/studio")?.reveal() == "canary-plain")
    }

    @Test func sealedEntriesCannotBeSwapped() throws {
        try vault().set("a", SecretValue("one"))
        try vault().set("b", SecretValue("two"))
        try vault().protect(with: SecretValue("pass"))
        var file = try VaultFile.read(vault().path)
        (file.entries["a"], file.entries["b"]) = (file.entries["b"], file.entries["a"])
        try file.write(vault().path)
        let error = #expect(throws: IngestError.self) { try vault("pass").value("a") }
        #expect(error?.isLocked == false)
    }

    /// A finger that is not known, a program that is gone: nobody is signed out by that.
    @Test func aHookThatFailsLeavesTheStoreLocked() throws {
        let hook = try scratch.script("refuse", "exit 1")
        try vault().set("a", SecretValue("one"))
        try vault().protect(with: SecretValue("horse"), hook: [hook])
        for program in ["failed", "cannot be started"] {
            let error = #expect(throws: IngestError.self) {
                try Vault(directory: scratch.path, gate: silent).value("a")
            }
            #expect(
                error?.isLocked == true && error?.message.contains(program) == true && error?.advice?.isEmpty == false)
            unlink(hook)
        }
    }

    @Test func aHookUnlocksAndIdlenessLocks() throws {
        let hook = try scratch.script(
            "unlock", "test -z \"$FILMGATE_PASSPHRASE\" && echo called >> \(scratch.path)/calls && echo 'horse'")
        try vault().set("a", SecretValue("one"))
        try vault().protect(with: SecretValue("horse"), hook: [hook], idle: 60)
        let clock = TestClock()
        let vault = Vault(directory: scratch.path, gate: silent, now: { clock.instant })
        func calls() -> Int {
            (FileManager.default.contents(atPath: scratch.path + "/calls") ?? Data()).split(separator: 10).count
        }
        _ = try vault.value("a")
        clock.advance(59)
        _ = try vault.value("a")
        #expect(calls() == 1)
        clock.advance(61)
        #expect(try vault.value("a")?.reveal() == "one")
        #expect(calls() == 2)
        vault.lock()
        _ = try vault.value("a")
        #expect(calls() == 3)
    }

    @Test func secretsByReference() throws {
        let secrets = VaultSecrets(NoSecrets(), vault())
        let error = #expect(throws: IngestError.self) { try secrets.resolve(Secret(.store("studio"))) }
        #expect(error?.advice?.contains("filmgate login studio") == true)
        try vault().set(VaultSecrets.entry("studio"), SecretValue("s3cret"))
        #expect(try secrets.resolve(Secret(.store("studio"))).reveal() == "s3cret")
        let helper = try scratch.script("pass", "test \"$*\" = 'show a;b' && echo helped")
        #expect(try secrets.resolve(Secret(.command([helper, "show", "a;b"]))).reveal() == "helped")
        let windows = try scratch.script("windows", "printf '\\357\\273\\277helped\\r\\n'")
        #expect(try secrets.resolve(Secret(.command([windows]))).reveal() == "helped")
        for words in [[helper], ["/nowhere/x"], [try scratch.script("quiet", "exit 0")]] {
            #expect(throws: IngestError.self) { try secrets.resolve(Secret(.command(words))) }
        }
    }

    /// A sign-in's secret is for the origins that it was typed in for; the options of the sign-in count as well as its
    /// targets.
    @Test func whatIsTypedInServesItsOriginsOnly() throws {
        let vault = vault(), secret = Secret(.store("studio"))
        func resolved(_ addresses: String...) -> Result<String, IngestError> {
            let places = CredentialPlaces("desk")
            for address in addresses { places.add(address) }
            return Result { () throws(IngestError) in
                try VaultSecrets(NoSecrets(), vault).serving(places).resolve(secret).reveal()
            }
        }
        try TypedSecret.keep(
            SecretValue("s3cret"), as: "studio", for: ["https://a.example/up", "http://b.example:81"], in: vault)
        for fine in [
            resolved(), resolved("https://A.example:443/x"), resolved("http://b.example:81/", "https://a.example"),
        ] {
            #expect(try fine.get() == "s3cret")
        }
        for strange in ["http://a.example", "https://b.example:81", "https://a.example.evil.example", "no address"] {
            let error = #expect(throws: IngestError.self) { try resolved("https://a.example", strange).get() }
            #expect(error?.code == .untrusted && error?.message.contains("https://a.example") == true)
            #expect(
                error?.advice?.contains("filmgate login desk") == true && error?.message.contains("s3cret") == false)
        }
        try TypedSecret.keep(SecretValue("s3cret"), as: "studio", for: ["https://c.example"], in: vault)
        #expect(try resolved("https://a.example", "https://c.example").get() == "s3cret")
        // Another secret is another matter.
        try TypedSecret.keep(SecretValue("other"), as: "studio", for: ["https://c.example"], in: vault)
        #expect(throws: IngestError.self) { try resolved("https://a.example").get() }
        // Typed in while nothing used it, it goes nowhere.
        try TypedSecret.keep(SecretValue("new"), as: "studio", for: [], in: vault)
        #expect(throws: IngestError.self) { try resolved("https://c.example").get() }
        // An older version asked for no places.
        try vault.set(VaultSecrets.entry("studio"), SecretValue("older"))
        #expect(try resolved("https://c.example").get() == "older")
    }

    @Test func whatAHelperSaysIsPassedOnWithoutItsSecret() {
        let said = Array("token: s3cret-1\nasking ann\n".utf8)
        #expect(StderrCapture.scrubbed(said, Array("s3cret-1\n".utf8)) == "token: ‹secret›\nasking ann\n")
        let json = Array(#"{"token": "s3cret-1", "account": "ann"}"#.utf8)
        #expect(StderrCapture.scrubbed(said, json) == "token: ‹secret›\nasking ann\n")
        #expect(StderrCapture.scrubbed([], json).isEmpty)
    }

    @Test func aHelperThatTalksALotOnStderrIsBoundedToo() throws {
        let chatty = try scratch.script("chatty", "yes >&2")
        let talks = try scratch.script("talks", "seq 100000 >&2; echo ok; exec >&-; seq 100000 >&2")
        #expect(throws: IngestError.self) { try HelperProgram.run([chatty], seconds: 1) }
        #expect(try HelperProgram.run([talks]) == Array("ok\n".utf8))
    }

    @Test func aHelperThatHangsEndsWithWhatItStarted() throws {
        let stuck = try scratch.script("stuck", "sleep 1000 & echo $! >\(scratch.path)/pid; wait; echo never")
        #expect(throws: IngestError.self) { try HelperProgram.run([stuck], seconds: 1) }
        let text = String(
            decoding: FileManager.default.contents(atPath: scratch.path + "/pid") ?? Data(), as: UTF8.self)
        let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        var left = 500
        while left > 0, FileManager.default.contents(atPath: "/proc/\(child)/cmdline")?.isEmpty == false {
            usleep(10_000)
            left -= 1
        }
        // At a terminal it could not be told apart from what else runs there.
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY)
        if terminal >= 0 { close(terminal) }
        #expect(left > 0 || terminal >= 0)
    }

    /// An agent that a helper starts for later keeps its output open.
    @Test func whatAHelperLeftBehindIsNotWaitedFor() throws {
        let leaves = try scratch.script("leaves", "sleep 20 & echo s3cret")
        let before = ContinuousClock.now
        #expect(try HelperProgram.run([leaves], seconds: 15) == Array("s3cret\n".utf8))
        #expect(ContinuousClock.now - before < .seconds(10))
    }

    @Test func aHelperIsBounded() throws {
        let slow = try scratch.script("slow", "exec sleep 30"), loud = try scratch.script("loud", "exec yes")
        #expect(throws: IngestError.self) { try HelperProgram.run([slow], seconds: 0) }
        #expect(throws: IngestError.self) { try HelperProgram.run([loud]) }
        #expect(throws: IngestError.self) { try HelperProgram.run(["sleep", "0"]) }
        let echo = try scratch.script("echo", "exec cat")
        #expect(try HelperProgram.run([echo], input: Array("in".utf8)) == Array("in".utf8))
    }
}
