import CCrypto

/// A hash over bytes that arrive in pieces; a copy goes on by itself.
///
/// Taking in bytes allocates nothing. Ends the program only when memory runs out.
public struct RunningHash: Sendable {
    private var context: HashContext

    public init(_ method: HashMethod) { context = HashContext(method) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = HashContext(copying: context) }
        context.update(bytes)
    }

    public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// The digest of all bytes so far; hashing may go on.
    public func digest() -> [UInt8] { HashContext(copying: context).finish() }

    /// The digest of bytes that are all there.
    public static func digest(of bytes: [UInt8], _ method: HashMethod) -> [UInt8] {
        let context = HashContext(method)
        bytes.withUnsafeBytes { context.update($0) }
        return context.finish()
    }
}

/// Owns OpenSSL's state of one hash.
///
/// Shared without a lock: a `RunningHash` writes to it only while nothing else holds it.
private final class HashContext: @unchecked Sendable {
    private let state: OpaquePointer, method: HashMethod

    init(_ method: HashMethod) {
        self.method = method
        state = Self.empty()
        precondition(
            EVP_DigestInit_ex2(state, method.found.pointer, nil) == 1, "OpenSSL could not begin a hash: out of memory.")
    }

    init(copying other: HashContext) {
        method = other.method
        state = Self.empty()
        precondition(EVP_MD_CTX_copy_ex(state, other.state) == 1, "OpenSSL could not copy a hash: out of memory.")
    }

    deinit { EVP_MD_CTX_free(state) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        precondition(EVP_DigestUpdate(state, start, bytes.count) == 1, "OpenSSL could not continue a hash.")
    }

    /// The state is of no use afterwards.
    func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: method.size) { buffer, count in
            var length: UInt32 = 0
            precondition(EVP_DigestFinal_ex(state, buffer.baseAddress, &length) == 1, "OpenSSL could not end a hash.")
            precondition(Int(length) == method.size, "OpenSSL made a digest of another length.")
            count = Int(length)
        }
    }

    private static func empty() -> OpaquePointer {
        guard let state = EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL could not begin a hash: out of memory.")
        }
        return state
    }
}
