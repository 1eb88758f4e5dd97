import FilmgateCore
import Foundation
import Testing

@testable import AuthKit

/// A store that the program wrote and sealed when its cryptography was swift-crypto's.
@Suite struct OlderStoreTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try Data(Self.file.utf8).write(to: URL(filePath: scratch.path + "/secrets.json"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path + "/secrets.json")
    }

    private func vault(_ passphrase: String?) -> Vault {
        Vault(directory: scratch.path, gate: PassphraseSource(environment: { _ in passphrase }))
    }

    @Test func opens() throws {
        let vault = vault(Self.passphrase)
        #expect(try vault.names() == ["account/studio", "secret/empty", "secret/gallery"])
        for (name, value) in Self.values { #expect(try vault.value(name)?.reveal() == value) }
    }

    @Test(arguments: [nil, "correct horse", "correct horse u\u{308}"]) func staysLocked(_ passphrase: String?) {
        let error = #expect(throws: IngestError.self) { try vault(passphrase).value("secret/gallery") }
        #expect(error?.isLocked == true)
    }

    /// What is added is sealed with the same key, and the seal comes off.
    @Test func goesOn() throws {
        try vault(Self.passphrase).set("secret/new", SecretValue("n-1"))
        #expect(try vault(Self.passphrase).value("secret/new")?.reveal() == "n-1")
        try vault(Self.passphrase).protect(with: nil)
        for (name, value) in Self.values { #expect(try vault(nil).value(name)?.reveal() == value) }
    }

    private static let passphrase = "correct horse \u{FC}"
    private static let values = [
        "account/studio": #"{"refresh":"r-1"}"#, "secret/gallery": #"one "\ ü"#, "secret/empty": "",
    ]
    private static let file = #"""
        {"entries":{"account/studio":"t8Htke23Cjc6DJAKwmFdg4yCXt4tszGu4R+Z0uJGgdYxM2mtfIl6OUMW52PP","secret/empty":"sRYj7SfC0r4f3wPCg3tjK52b9q9+zM0Gz3ynTQ==","secret/gallery":"xRnJS1x4Hy7NK0C1kkMyavWf+3Wl25tV7ckQi4YQAi9JKZwnoA=="},"version":1,"wrap":{"block":8,"check":"JjwC1mSHyMstDYoVCXAv9kfZNrbC3bgQvQeNzP73WqUiOL7i","hook":[],"idle":900,"kdf":"scrypt","parallel":1,"rounds":32768,"salt":"VSremYhpjLu0lkOcO04KHw=="}}

        """#
}
