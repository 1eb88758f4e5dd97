import FilmgateCore
import Glibc
import HTTPKit

/// What a helper says on its stderr where no person reads along: kept until it has ended, then passed on without its
/// secret.
struct StderrCapture {
    private var bytes: [UInt8] = []
    /// Bytes kept, from the end.
    private static let limit = 16 << 10

    mutating func take(_ part: ArraySlice<UInt8>) {
        bytes += part
        if bytes.count > Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
    }

    /// Writes it to our own stderr, what was printed and every text in it taken out.
    func pass(without printed: [UInt8]) {
        let text = Self.scrubbed(bytes, printed)
        guard !text.isEmpty else { return }
        var rest = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    static func scrubbed(_ said: [UInt8], _ printed: [UInt8]) -> String {
        let text = String(decoding: printed, as: UTF8.self)
        var secrets = text.split(whereSeparator: \.isNewline).map(String.init)
        if let json = JSONValue(printed) { secrets += texts(in: json, depth: 0) }
        return Redactor(secrets: secrets.map { SecretValue($0) }).scrub(String(decoding: said, as: UTF8.self))
    }

    /// Short ones are words such as an account's name.
    private static func texts(in value: JSONValue, depth: Int) -> [String] {
        switch value {
        case .string(let text): text.utf8.count >= 8 ? [text] : []
        case .array(let items) where depth < 4: items.flatMap { texts(in: $0, depth: depth + 1) }
        case .object(let members) where depth < 4: members.flatMap { texts(in: $0.value, depth: depth + 1) }
        default: []
        }
    }
}
