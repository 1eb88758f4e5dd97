import FilmgateCore
import Glibc
import HTTPKit

/// What a helper says on its stderr where no person reads along: kept until it has ended, then passed on without its secret.
final class StderrCapture {
    private(set) var descriptor: CInt
    private var bytes: [UInt8] = []
    /// Bytes kept, from the end.
    static let limit = 16 << 10

    /// Does not own `descriptor`.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Takes what is there, without waiting; a part of it, so that a program that never stops keeps nobody from looking at the clock.
    func listen() {
        var part = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<32 {
            var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard descriptor >= 0, poll(&watch, 1, 0) > 0 else { break }
            let count = read(descriptor, &part, part.count)
            guard count > 0 else {
                // All writers are gone.
                descriptor = -1
                break
            }
            bytes += part[..<count]
        }
        if bytes.count > Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
    }

    /// Writes it to our own stderr, what was printed and every text in it taken out.
    func pass(without printed: [UInt8]) {
        listen()
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
