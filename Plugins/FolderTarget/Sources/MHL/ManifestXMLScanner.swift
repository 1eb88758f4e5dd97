import FilmgateCore

/// Goes through an XML document in UTF-8 and tells what begins and ends: as much XML as manifests use, and nothing dangerous.
///
/// No document types, no external entities, elements at most 64 deep. Name prefixes are dropped.
struct ManifestXMLScanner {
    enum Event: Equatable {
        case begin(String, [String: String])
        /// The element's name and its own text.
        case end(String, String)
    }
    private let bytes: [UInt8]
    private var index = 0
    private var open: [(name: String, text: [UInt8])] = []
    private var pendingEnd = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next event; nil after the root element ended.
    mutating func next() throws(IngestError) -> Event? {
        if pendingEnd { return try end(nil) }
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") {
                try text()
            } else if starts("<!--") {
                try skip(past: "-->")
            } else if starts("<![CDATA[") {
                let start = index + 9
                try skip(past: "]]>")
                if !open.isEmpty { open[open.count - 1].text += bytes[start..<index - 3] }
            } else if starts("<?") {
                try skip(past: "?>")
            } else if starts("<!") {
                throw damaged("it declares a document type")
            } else if starts("</") {
                index += 2
                let name = try self.name()
                skipSpace()
                try expect(">")
                return try end(name)
            } else {
                return try begin()
            }
        }
        guard open.isEmpty else { throw damaged("it ends in the middle") }
        return nil
    }

    private mutating func begin() throws(IngestError) -> Event {
        index += 1
        let name = try self.name()
        guard open.count < 64 else { throw damaged("its elements are nested too deep") }
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            if starts("/>") {
                index += 2
                pendingEnd = true
                break
            }
            if starts(">") {
                index += 1
                break
            }
            let key = try self.name()
            skipSpace()
            try expect("=")
            skipSpace()
            attributes[key] = try quoted()
        }
        open.append((name, []))
        return .begin(name, attributes)
    }

    private mutating func end(_ name: String?) throws(IngestError) -> Event {
        pendingEnd = false
        guard let last = open.popLast(), name == nil || name == last.name else { throw damaged("its elements do not match") }
        guard let text = String(validating: last.text, as: UTF8.self) else { throw damaged("it is not UTF-8") }
        return .end(last.name, text)
    }

    private mutating func text() throws(IngestError) {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") { index += 1 }
        guard !open.isEmpty else { return }
        open[open.count - 1].text += try Self.resolved(bytes[start..<index])
    }

    private mutating func quoted() throws(IngestError) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
            throw damaged("an attribute has no quotes")
        }
        let quote = bytes[index], start = index + 1
        guard let close = bytes[start...].firstIndex(of: quote) else { throw damaged("a quote is never closed") }
        index = close + 1
        return String(decoding: try Self.resolved(bytes[start..<close]), as: UTF8.self)
    }

    /// The local name at the cursor, its prefix dropped.
    private mutating func name() throws(IngestError) -> String {
        let start = index
        while index < bytes.count, !" \t\r\n=/<>\"'".utf8.contains(bytes[index]) { index += 1 }
        let whole = bytes[start..<index]
        guard !whole.isEmpty, whole.count <= 256 else { throw damaged("a name is missing") }
        return String(decoding: whole.lastIndex(of: UInt8(ascii: ":")).map { whole[($0 + 1)...] } ?? whole, as: UTF8.self)
    }

    /// `raw` with its five named and its numbered characters resolved.
    private static func resolved(_ raw: ArraySlice<UInt8>) throws(IngestError) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "&")) else { return Array(raw) }
        var result: [UInt8] = [], rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else { result.append(byte); continue }
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw damaged("an `&` stands alone") }
            guard let scalar = character(String(decoding: rest[..<end], as: UTF8.self)) else { throw damaged("it uses an unknown entity") }
            result += Array(String(Character(scalar)).utf8)
            rest = rest[(end + 1)...]
        }
        return result
    }

    private static func character(_ entity: String) -> Unicode.Scalar? {
        switch entity {
        case "lt": "<"
        case "gt": ">"
        case "amp": "&"
        case "quot": "\""
        case "apos": "'"
        case _ where entity.hasPrefix("#x"): UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where entity.hasPrefix("#"): UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }

    private func starts(_ text: StaticString) -> Bool {
        bytes.count - index >= text.utf8CodeUnitCount
            && text.withUTF8Buffer { $0.elementsEqual(bytes[index..<index + text.utf8CodeUnitCount]) }
    }

    private mutating func expect(_ text: StaticString) throws(IngestError) {
        guard starts(text) else { throw damaged("`\(text)` is missing") }
        index += text.utf8CodeUnitCount
    }

    private mutating func skip(past text: StaticString) throws(IngestError) {
        while index < bytes.count, !starts(text) { index += 1 }
        try expect(text)
    }

    private mutating func skipSpace() {
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
    }

    private func damaged(_ why: String) -> IngestError { Self.damaged(why) }
    private static func damaged(_ why: String) -> IngestError { IngestError(.corruptData, "The XML is damaged: \(why).") }
}
