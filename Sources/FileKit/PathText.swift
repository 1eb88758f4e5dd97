import Glibc

/// POSIX names are bytes, Swift's are Unicode.
///
/// Valid UTF-8 stays as it is; every other byte `b` becomes the private scalar U+10FF00 + b and turns back into that
/// byte on the way to the kernel, so that a name which no encoding explains is still opened, copied and named.
///
/// Real names that hold one of those scalars (U+10FF80…U+10FFFF) are escaped byte by byte too: bytes → text → bytes is
/// always exact.
public enum PathText {
    static let base: UInt32 = 0x10FF00
    static let escapes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The bytes that `text` stands for.
    public static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if escapes.contains(scalar.value) {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    /// `path` for a message: in backticks, control characters and escaped bytes spelt out so that a hostile name cannot
    /// forge lines.
    public static func shown(_ path: String) -> String { FileKit.shown(path) }

    static func escaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            let length = scalarLength(bytes, at: index)
            if length > 0 {
                let part = UnsafeBufferPointer(rebasing: bytes[index..<index + length])
                scalars.append(contentsOf: String(decoding: part, as: UTF8.self).unicodeScalars)
            } else if let scalar = Unicode.Scalar(base + UInt32(bytes[index])) {
                scalars.append(scalar)
            }
            index += max(1, length)
        }
        return String(scalars)
    }

    /// Length of the scalar that starts at `index`; 0 when the byte there must be escaped.
    static func scalarLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let lead = bytes[index]
        if lead < 0x80 { return 1 }
        let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
        guard length > 0, index + length <= bytes.count else { return 0 }
        let second = bytes[index + 1]
        let allowed: ClosedRange<UInt8> =
            switch lead {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        guard allowed.contains(second) else { return 0 }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        let isEscape = lead == 0xF4 && second == 0x8F && bytes[index + 2] >= 0xBE
        return isEscape ? 0 : length
    }
}

extension String {
    /// The text for a POSIX name or path, see ``PathText``.
    public init(pathBytes bytes: UnsafeBufferPointer<UInt8>) {
        if !bytes.contains(0xF4), let text = String(validating: bytes, as: UTF8.self) {
            self = text
        } else {
            self = PathText.escaped(bytes)
        }
    }

    /// The text for a POSIX name or path, see ``PathText``.
    public init(pathBytes bytes: [UInt8]) { self = bytes.withUnsafeBufferPointer { String(pathBytes: $0) } }

    /// The text for a NUL-terminated POSIX name or path, see ``PathText``.
    public init(cPath: UnsafePointer<CChar>) {
        let count = strlen(cPath)
        self = cPath.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(pathBytes: UnsafeBufferPointer(start: $0, count: count))
        }
    }
}

/// Calls `body` with the bytes of `path`, NUL-terminated, valid during the call only.
///
/// A path that holds NUL names nothing: it is handed on as the empty path, which every call refuses with ENOENT.
public func withCPath<Value, Failure: Error>(
    _ path: String, _ body: (UnsafePointer<CChar>) throws(Failure) -> Value
) throws(Failure) -> Value {
    let plain: Result<Value, Failure>? = path.withCString { text in
        let count = strlen(text)
        guard count == path.utf8.count, memchr(text, 0xF4, count) == nil else { return nil }
        return Result { () throws(Failure) in try body(text) }
    }
    if let plain { return try plain.get() }
    let bytes = PathText.bytes(of: path)
    let terminated = bytes.contains(0) ? [0] : bytes.map(CChar.init(bitPattern:)) + [0]
    return try body(terminated)
}
