import CryptographyKit
public import FilmgateCore

/// Several digests of one stream of bytes, in one pass.
///
/// SHA-256 is always among them.
public struct MultiHasher: ~Copyable {
    private var sha256: RunningHash?, sha1: RunningHash?, md5: RunningHash?
    private var sha512: RunningHash?
    private let xxh128: XXH3?, xxh3: XXH3?, xxh64: XXH64?
    /// Pieces whose first bytes are looked at, in bytes.
    private static let piece = 32 << 10, looked = 16
    private var count = 0
    /// Whether a piece of 32 KiB, counted from the first byte, begins with sixteen zeros.
    ///
    /// Where none does, no 64 KiB in a row are zeros, and nobody needs to read the file again to find them.
    private(set) var mayHoldZeros = false

    public init(_ others: Set<DigestAlgorithm> = []) { self.init(only: others.union([.sha256])) }

    /// Only these, without SHA-256 unless it is named; for rereading, where the fast one is enough.
    init(only algorithms: Set<DigestAlgorithm>) {
        sha256 = algorithms.contains(.sha256) ? RunningHash(.sha256) : nil
        sha1 = algorithms.contains(.sha1) ? RunningHash(.sha1) : nil
        md5 = algorithms.contains(.md5) ? RunningHash(.md5) : nil
        sha512 = algorithms.contains(.c4) ? RunningHash(.sha512) : nil
        xxh128 = algorithms.contains(.xxh128) ? XXH3(bits: 128) : nil
        xxh3 = algorithms.contains(.xxh3) ? XXH3(bits: 64) : nil
        xxh64 = algorithms.contains(.xxh64) ? XXH64() : nil
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !mayHoldZeros { mayHoldZeros = hasPieceOfZeros(bytes) }
        count += bytes.count
        sha256?.update(bytes)
        sha1?.update(bytes)
        md5?.update(bytes)
        sha512?.update(bytes)
        xxh128?.update(bytes)
        xxh3?.update(bytes)
        xxh64?.update(bytes)
    }

    /// Where a beginning is cut between two calls, what is there of it counts.
    private func hasPieceOfZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let first = (Self.piece - count % Self.piece) % Self.piece
        return stride(from: first, to: bytes.count, by: Self.piece).contains { start in
            bytes[start..<min(start + Self.looked, bytes.count)].allSatisfy { $0 == 0 }
        }
    }

    public mutating func update(_ bytes: RawSpan) { bytes.withUnsafeBytes { update($0) } }

    /// The SHA-256 of all bytes so far, in lower-case hexadecimal; hashing goes on.
    var sha256Now: String { sha256.map { hexadecimal($0.digest()) } ?? "" }

    /// The digests of all bytes so far, in lower-case hexadecimal; XXH in its canonical (big-endian) form, as ASC MHL
    /// writes it.
    public consuming func finish() -> Digests {
        var values = finishAll()
        let sha256 = values.removeValue(forKey: .sha256) ?? ""
        return Digests(sha256: sha256, others: values)
    }

    /// One digest of a few bytes.
    public static func digest(of bytes: [UInt8], _ algorithm: DigestAlgorithm) -> String {
        var hasher = MultiHasher(only: [algorithm])
        hasher.update(bytes.span.bytes)
        return hasher.finishAll()[algorithm] ?? ""
    }

    consuming func finishAll() -> [DigestAlgorithm: String] {
        var values: [DigestAlgorithm: String] = [:]
        if let sha256 { values[.sha256] = hexadecimal(sha256.digest()) }
        if let sha1 { values[.sha1] = hexadecimal(sha1.digest()) }
        if let md5 { values[.md5] = hexadecimal(md5.digest()) }
        if let sha512 { values[.c4] = C4.id(sha512.digest()) }
        if let value = xxh128?.finish() { values[.xxh128] = value }
        if let value = xxh3?.finish() { values[.xxh3] = value }
        if let value = xxh64?.finish() { values[.xxh64] = value }
        return values
    }
}

/// `bytes` in lower-case hexadecimal.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
    var text: [UInt8] = []
    text.reserveCapacity(128)
    for byte in bytes {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
}
