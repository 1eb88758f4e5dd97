import CCrypto
public import FilmgateCore

/// A key in memory that is overwritten when nobody needs it any more.
///
/// Shared without a lock: nothing writes to the bytes between `init` and `deinit`.
public final class SecretKey: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>

    public init(_ bytes: [UInt8]) {
        self.bytes = .allocate(capacity: bytes.count)
        _ = self.bytes.initialize(from: bytes)
    }

    private init(count: Int) {
        bytes = .allocate(capacity: count)
        bytes.initialize(repeating: 0)
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    /// 32 bytes from a passphrase by scrypt (RFC 7914); needs 128 × `rounds` × `block` bytes of memory meanwhile.
    ///
    /// `unexpected` for numbers that scrypt does not allow, or without that memory.
    public static func scrypt(
        _ passphrase: [UInt8], salt: [UInt8], rounds: Int, block: Int, parallel: Int
    ) throws(IngestError) -> SecretKey {
        guard rounds > 1, block > 0, parallel > 0 else {
            throw IngestError(.unexpected, "scrypt does not allow these numbers.")
        }
        let key = SecretKey(count: 32)
        // OpenSSL refuses what needs more than 32 MiB unless told; callers bound these numbers themselves.
        let memory = 128 * UInt64(block) * (UInt64(rounds) + UInt64(parallel) + 2) + (1 << 20)
        let done = withoutTrace {
            passphrase.withUnsafeBufferPointer { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    EVP_PBE_scrypt_ex(
                        text.baseAddress, text.count, salt, salt.count, UInt64(rounds), UInt64(block), UInt64(parallel),
                        memory, key.bytes.baseAddress, key.bytes.count, OpenSSLObject.library.pointer, nil)
                }
            }
        }
        guard done == 1 else { throw IngestError(.unexpected, "The key cannot be derived on this machine.") }
        return key
    }
}

extension SecretKey: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
