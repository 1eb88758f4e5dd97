/// Takes a `multipart/form-data` body (RFC 7578) apart while it comes in; keeps no more of it than one block and the
/// short fields.
struct MultipartReader {
    enum Event {
        /// A file's part begins; the name is what the sender called it.
        case file(name: String)
        /// Bytes of the file whose part began last.
        case bytes(ArraySlice<UInt8>)
        case field(name: String, value: String)
        /// The closing boundary.
        case end
    }
    struct Malformed: Error {}

    private enum State { case preamble, head, file, field(String), done }
    private let boundary: [UInt8]
    private var state = State.preamble, pending: [UInt8] = [], value: [UInt8] = [], parts = 0

    static let headLimit = 16_384, fieldLimit = 65_536, partLimit = 100

    /// Nil unless `type` is a form's media type with a boundary.
    init?(contentType type: String?) {
        guard let type, type.lowercased().hasPrefix("multipart/form-data"), let range = type.firstRange(of: "boundary=")
        else { return nil }
        let mark = type[range.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != " " }
        guard (1...70).contains(mark.utf8.count) else { return nil }
        boundary = Array("\r\n--\(mark)".utf8)
        // The first boundary may stand at the very beginning, without the line break before it.
        pending = [13, 10]
    }

    /// True after the closing boundary: the form is complete.
    var isComplete: Bool { if case .done = state { true } else { false } }

    /// Takes the next bytes; calls `event` for what became clear.
    mutating func take(_ bytes: some Collection<UInt8>, _ event: (Event) throws -> Void) throws {
        pending += bytes
        while try step(event) {}
    }

    /// False: more bytes are needed.
    private mutating func step(_ event: (Event) throws -> Void) throws -> Bool {
        switch state {
        case .done:
            pending = []
            return false
        case .head: return try readHead(event)
        case .preamble, .file, .field:
            guard let at = find(boundary) else {
                // What could be the beginning of a boundary stays.
                try pass(pending.prefix(max(0, pending.count - boundary.count + 1)), event)
                return false
            }
            guard pending.count >= at + boundary.count + 2 else {
                try pass(pending.prefix(at), event)
                return false
            }
            try pass(pending.prefix(at), event)
            try endPart(event)
            let next = pending[boundary.count..<(boundary.count + 2)]
            pending.removeFirst(boundary.count + 2)
            if next.elementsEqual("--".utf8) {
                state = .done
                try event(.end)
            } else if next.elementsEqual([13, 10]) {
                state = .head
                parts += 1
                if parts > Self.partLimit { throw Malformed() }
            } else {
                throw Malformed()
            }
            return true
        }
    }

    private mutating func pass(_ bytes: ArraySlice<UInt8>, _ event: (Event) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        switch state {
        case .file: try event(.bytes(bytes))
        case .field:
            value += bytes
            if value.count > Self.fieldLimit { throw Malformed() }
        default: break
        }
        pending.removeFirst(bytes.count)
    }

    private mutating func endPart(_ event: (Event) throws -> Void) throws {
        if case .field(let name) = state {
            try event(.field(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        value = []
    }

    private mutating func readHead(_ event: (Event) throws -> Void) throws -> Bool {
        guard let end = find(Array("\r\n\r\n".utf8)) else {
            if pending.count > Self.headLimit { throw Malformed() }
            return false
        }
        let lines = String(decoding: pending[..<end], as: UTF8.self).split(separator: "\r\n")
        pending.removeFirst(end + 4)
        guard let disposition = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = Self.parameter("name", of: disposition)
        else { throw Malformed() }
        if let file = Self.parameter("filename", of: disposition) {
            state = .file
            try event(.file(name: file))
        } else {
            state = .field(name)
        }
        return true
    }

    /// A quoted parameter, with the escapes of browsers undone.
    private static func parameter(_ name: String, of line: Substring) -> String? {
        for piece in line.split(separator: ";").dropFirst() {
            let trimmed = piece.drop { $0 == " " }
            guard trimmed.lowercased().hasPrefix(name + "=\"") else { continue }
            let text = line[trimmed.index(trimmed.startIndex, offsetBy: name.count + 2)...].prefix { $0 != "\"" }
            return text.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
                .description
        }
        return nil
    }

    /// Where `mark` first stands in what is pending.
    private func find(_ mark: [UInt8]) -> Int? {
        var from = 0
        while let at = pending[from...].firstIndex(of: mark[0]), at + mark.count <= pending.count {
            if pending[at..<(at + mark.count)].elementsEqual(mark) { return at }
            from = at + 1
        }
        return nil
    }
}
