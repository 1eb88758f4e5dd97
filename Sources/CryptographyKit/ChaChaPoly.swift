import CCrypto
public import FilmgateCore

/// ChaCha20-Poly1305 (RFC 8439); a box is 12 bytes of nonce, the sealed bytes and 16 bytes of tag.
public enum ChaChaPoly {
    static let keySize = 32, nonceSize = 12, tagSize = 16

    /// Seals under a fresh random nonce; `unexpected` when OpenSSL refuses, as for a key of other than 32 bytes.
    public static func seal(_ plain: [UInt8], with key: SecretKey, authenticating bound: [UInt8]) throws(IngestError)
        -> [UInt8]
    {
        try seal(plain, with: key, authenticating: bound, nonce: (0..<nonceSize).map { _ in UInt8.random(in: 0...255) })
    }

    static func seal(
        _ plain: [UInt8], with key: SecretKey, authenticating bound: [UInt8], nonce: [UInt8]
    ) throws(IngestError) -> [UInt8] {
        let box = withoutTrace { () -> [UInt8]? in
            guard let cipher = AuthenticatedCipher(key, nonce: nonce, encrypts: true),
                let sealed = cipher.run(plain, binding: bound),
                let tag = cipher.tag()
            else { return nil }
            return nonce + sealed + tag
        }
        guard let box else { throw IngestError(.unexpected, "The bytes could not be encrypted.") }
        return box
    }

    /// Nil when the key is another, the box is not whole, or other bytes were bound in.
    public static func open(_ box: [UInt8], with key: SecretKey, authenticating bound: [UInt8]) -> [UInt8]? {
        guard box.count >= nonceSize + tagSize else { return nil }
        let nonce = Array(box.prefix(nonceSize)), tag = Array(box.suffix(tagSize))
        return withoutTrace {
            guard let cipher = AuthenticatedCipher(key, nonce: nonce, encrypts: false),
                let plain = cipher.run(Array(box[nonceSize..<(box.count - tagSize)]), binding: bound),
                cipher.agrees(with: tag)
            else { return nil }
            return plain
        }
    }
}

/// Owns OpenSSL's state of one box, which is sealed or opened once.
private final class AuthenticatedCipher {
    private let state: OpaquePointer

    init?(_ key: SecretKey, nonce: [UInt8], encrypts: Bool) {
        guard key.bytes.count == ChaChaPoly.keySize, nonce.count == ChaChaPoly.nonceSize,
            let state = EVP_CIPHER_CTX_new()
        else {
            return nil
        }
        self.state = state
        let method = OpenSSLObject.chaChaPoly.pointer
        guard EVP_CipherInit_ex2(state, method, key.bytes.baseAddress, nonce, encrypts ? 1 : 0, nil) == 1 else {
            return nil
        }
    }

    deinit { EVP_CIPHER_CTX_free(state) }

    /// Nil when OpenSSL refuses; opened bytes count only once the tag agrees.
    func run(_ bytes: [UInt8], binding bound: [UInt8]) -> [UInt8]? {
        guard let size = Int32(exactly: bytes.count), let boundSize = Int32(exactly: bound.count) else { return nil }
        var count: Int32 = 0
        guard bound.isEmpty || EVP_CipherUpdate(state, nil, &count, bound, boundSize) == 1 else { return nil }
        var result = [UInt8](repeating: 0, count: bytes.count)
        guard bytes.isEmpty || (EVP_CipherUpdate(state, &result, &count, bytes, size) == 1 && count == size) else {
            return nil
        }
        return result
    }

    func tag() -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: ChaChaPoly.tagSize)
        guard isFinal(), EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else {
            return nil
        }
        return tag
    }

    func agrees(with tag: [UInt8]) -> Bool {
        var tag = tag
        return EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 && isFinal()
    }

    private func isFinal() -> Bool {
        // A stream cipher has no rest; OpenSSL wants an address all the same.
        var rest = [UInt8](repeating: 0, count: ChaChaPoly.tagSize), count: Int32 = 0
        return EVP_CipherFinal_ex(state, &rest, &count) == 1
    }
}
