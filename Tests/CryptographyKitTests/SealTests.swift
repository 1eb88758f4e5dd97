import FilmgateCore
import Testing

@testable import CryptographyKit

/// Published answers: RFC 7914 for scrypt, RFC 8439 for ChaCha20-Poly1305.
@Suite struct SealTests {
    /// The first half of what the RFC gives: longer keys begin with the shorter ones.
    @Test(arguments: [
        ("", "", 16, 1, 1, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
        ("password", "NaCl", 1024, 8, 16, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"),
        (
            "pleaseletmein", "SodiumChloride", 16_384, 8, 1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        ),
    ]) func publishedKeys(
        _ passphrase: String, _ salt: String, _ rounds: Int, _ block: Int, _ parallel: Int, _ expected: String
    ) throws {
        let key = try SecretKey.scrypt(
            Array(passphrase.utf8), salt: Array(salt.utf8), rounds: rounds, block: block, parallel: parallel)
        #expect(hex(Array(key.bytes)) == expected)
    }

    @Test func numbersThatAreNone() {
        for (rounds, block, parallel) in [(1000, 8, 1), (1, 8, 1), (0, 8, 1), (16, 0, 1), (16, 1, 0), (-16, 1, 1)] {
            #expect(throws: IngestError.self) {
                try SecretKey.scrypt([1], salt: [1], rounds: rounds, block: block, parallel: parallel)
            }
        }
    }

    @Test func aKeyIsNotShown() {
        #expect("\(SecretKey([1, 2, 3]))".contains("1") == false)
        var said = ""
        dump(SecretKey([41, 42, 43]), to: &said)
        #expect(!said.contains("42"))
    }

    @Test func aPublishedBox() throws {
        let key = SecretKey(Array(0x80...0x9f)), bound = bytes("50515253c0c1c2c3c4c5c6c7")
        let nonce = bytes("070000004041424344454647")
        let text =
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        let box = try ChaChaPoly.seal(Array(text.utf8), with: key, authenticating: bound, nonce: nonce)
        let sealed = """
            d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6 3dbea45e8ca9671282fafb69da92728b
            1a71de0a9e060b2905d6a5b67ecd3b36 92ddbd7f2d778b8c9803aee328091b58 fab324e4fad675945585808b4831d7bc
            3ff4def08e4b7a9de576d26586cec64b 6116
            """
        #expect(box == nonce + bytes(sealed) + bytes("1ae10b594f09e26a7e902ecbd0600691"))
        #expect(ChaChaPoly.open(box, with: key, authenticating: bound) == Array(text.utf8))
    }

    /// Appendix A.5: sealed by somebody else.
    @Test func aPublishedBoxIsOpened() throws {
        let key = SecretKey(bytes("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"))
        let sealed = """
            64a0861575861af460f062c79be643bd 5e805cfd345cf389f108670ac76c8cb2 4c6cfc18755d43eea09ee94e382d26b0
            bdb7b73c321b0100d4f03b7f355894cf 332f830e710b97ce98c8a84abd0b9481 14ad176e008d33bd60f982b1ff37c855
            9797a06ef4f0ef61c186324e2b350638 3606907b6a7c02b0f9f6157b53c867e4 b9166c767b804d46a59b5216cde7a4e9
            9040c5a40433225ee282a1b0a06c523e af4534d7f83fa1155b0047718cbc546a 0d072b04b3564eea1b422273f548271a
            0bb2316053fa76991955ebd63159434e cebb4e466dae5a1073a6727627097a10 49e617d91d361094fa68f0ff77987130
            305beaba2eda04df997b714d6c6f2c29 a6ad5cb4022b02709b
            """
        let box = bytes("000000000102030405060708") + bytes(sealed) + bytes("eead9d67890cbb22392336fea1851f38")
        let plain = try #require(ChaChaPoly.open(box, with: key, authenticating: bytes("f33388860000000000004e91")))
        #expect(
            String(decoding: plain, as: UTF8.self).hasPrefix(
                "Internet-Drafts are draft documents valid for a maximum of six months"))
        #expect(plain.count == 265)
    }

    /// Around the blocks of 16 and 64 bytes, with and without something bound in.
    @Test(arguments: [0, 1, 15, 16, 17, 63, 64, 65, 1000]) func whatIsSealedIsOpened(_ count: Int) throws {
        let key = SecretKey((0..<32).map { UInt8($0) }), plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for bound in [[], [1], [UInt8](repeating: 9, count: 16)] as [[UInt8]] {
            let box = try ChaChaPoly.seal(plain, with: key, authenticating: bound)
            #expect(box.count == 12 + count + 16)
            #expect(ChaChaPoly.open(box, with: key, authenticating: bound) == plain)
            #expect(try ChaChaPoly.seal(plain, with: key, authenticating: bound) != box, "a nonce was used twice")
        }
    }

    @Test func whatIsNotWholeIsRefused() throws {
        let key = SecretKey([UInt8](repeating: 1, count: 32)), other = SecretKey([UInt8](repeating: 2, count: 32))
        let box = try ChaChaPoly.seal([1, 2, 3], with: key, authenticating: [4])
        for index in box.indices {
            for bit in [1, 0x80] as [UInt8] {
                var bad = box
                bad[index] ^= bit
                #expect(ChaChaPoly.open(bad, with: key, authenticating: [4]) == nil, "byte \(index)")
            }
        }
        for count in 0..<box.count {
            #expect(ChaChaPoly.open(Array(box.prefix(count)), with: key, authenticating: [4]) == nil)
        }
        #expect(ChaChaPoly.open(box + [0], with: key, authenticating: [4]) == nil)
        #expect(ChaChaPoly.open(box, with: other, authenticating: [4]) == nil)
        for bound in [[], [5], [4, 0]] as [[UInt8]] {
            #expect(ChaChaPoly.open(box, with: key, authenticating: bound) == nil)
        }
        #expect(ChaChaPoly.open(box, with: key, authenticating: [4]) == [1, 2, 3])
    }

    @Test(arguments: [0, 16, 31, 33]) func keysOfOtherLengthsAreRefused(_ count: Int) {
        let key = SecretKey([UInt8](repeating: 1, count: count))
        #expect(throws: IngestError.self) { try ChaChaPoly.seal([1], with: key, authenticating: []) }
        #expect(ChaChaPoly.open([UInt8](repeating: 0, count: 40), with: key, authenticating: []) == nil)
    }
}
