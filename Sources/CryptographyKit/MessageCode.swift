import CCrypto

public enum MessageCode {
    /// HMAC-SHA256 (RFC 2104): 32 bytes.
    public static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let done = EVP_Q_mac(
                OpenSSLObject.library.pointer, "HMAC", nil, "SHA2-256", nil, key, key.count, message, message.count,
                buffer.baseAddress, 32, &count)
            precondition(done != nil && count == 32, "OpenSSL could not compute a code: out of memory.")
        }
    }

    /// Takes as long for any difference as for none; only the lengths may show.
    public static func equal(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
    }
}
