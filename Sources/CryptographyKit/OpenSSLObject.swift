import CCrypto

/// What OpenSSL gives once and is used for as long as the program runs: its own state, and algorithms that were looked
/// up by name.
///
/// OpenSSL 3 looks an algorithm up whenever one begins, unless it is given what was found before. Safe on any thread:
/// nothing changes such an object after it was made, OpenSSL counts its users atomically, and it is never freed.
struct OpenSSLObject: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(_ made: OpaquePointer?, _ name: String) {
        guard let made else { preconditionFailure("OpenSSL on this machine does not offer \(name).") }
        pointer = made
    }

    /// A state of our own, which the machine's openssl.cnf says nothing about.
    ///
    /// Where that leaves out MD5 (FIPS), a picture could not be stamped otherwise. It also outlives the end of the
    /// program, when OpenSSL clears its common state while other threads may still be hashing.
    static let library = OpenSSLObject(OSSL_LIB_CTX_new(), "a state")

    static let chaChaPoly = OpenSSLObject(
        EVP_CIPHER_fetch(library.pointer, "ChaCha20-Poly1305", nil), "ChaCha20-Poly1305")

    static func hash(_ name: String) -> OpenSSLObject { OpenSSLObject(EVP_MD_fetch(library.pointer, name, nil), name) }
}

/// Does what may fail, and takes back what OpenSSL noted about it.
///
/// OpenSSL keeps a list of errors per thread, which libcurl's TLS reads, too.
func withoutTrace<Value>(_ body: () -> Value) -> Value {
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return body()
}
