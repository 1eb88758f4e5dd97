import CryptographyKit
import Testing

/// Published answers: FIPS 180-4 for SHA, RFC 1321 for MD5, RFC 4231 for HMAC.
@Suite struct HashTests {
    private static let short = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    private static let digests: [(HashMethod, String, String)] = [
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, short, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, long,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
        (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha1, short, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"), (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ]

    @Test(arguments: digests) func publishedDigests(_ method: HashMethod, _ text: String, _ expected: String) {
        let bytes = Array(text.utf8)
        #expect(hex(RunningHash.digest(of: bytes, method)) == expected)
        #expect(expected.utf8.count == 2 * method.size)
        var hash = RunningHash(method)
        hash.update(bytes)
        #expect(hex(hash.digest()) == expected)
    }

    @Test func aMillionLetters() {
        var hash = RunningHash(.sha256)
        for _ in 0..<1000 { hash.update([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
        #expect(hex(hash.digest()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// The lengths around the blocks of 64 and 128 bytes, where the padding takes another block.
    @Test(arguments: HashMethod.allCases) func piecesMakeNoDifference(_ method: HashMethod) {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let whole = RunningHash.digest(of: bytes, method)
        for size in [1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 4096, 9_999] {
            var hash = RunningHash(method)
            for start in stride(from: 0, to: bytes.count, by: size) {
                hash.update(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(hash.digest() == whole, "pieces of \(size)")
        }
    }

    @Test func nothingChangesNothing() {
        var hash = RunningHash(.sha256)
        hash.update(UnsafeRawBufferPointer(start: nil, count: 0))
        hash.update([])
        #expect(hash.digest() == RunningHash.digest(of: [], .sha256))
    }

    @Test func aCopyGoesOnByItself() {
        var first = RunningHash(.sha256)
        first.update([1, 2])
        var second = first
        second.update([3])
        #expect(first.digest() == RunningHash.digest(of: [1, 2], .sha256))
        #expect(second.digest() == RunningHash.digest(of: [1, 2, 3], .sha256))
        first.update([4])
        #expect(first.digest() == RunningHash.digest(of: [1, 2, 4], .sha256))
    }

    /// The first use looks the functions up; many threads may come at once.
    @Test func manyAtOnce() async {
        let expected = RunningHash.digest(of: [7], .sha512)
        var begun = RunningHash(.sha512)
        begun.update([])
        let shared = begun
        let equal = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var hash = shared
                    hash.update([7])
                    return hash.digest() == expected
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(equal)
    }

    private static let codes: [([UInt8], [UInt8], String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: codes) func publishedCodes(_ key: [UInt8], _ message: [UInt8], _ expected: String) {
        #expect(hex(MessageCode.hmacSHA256(message, key: key)) == expected)
    }

    @Test func equality() {
        #expect(
            MessageCode.equal([1, 2], [1, 2]) && !MessageCode.equal([1, 2], [1, 3]) && !MessageCode.equal([1], [1, 2]))
        #expect(MessageCode.equal([], []))
    }
}
