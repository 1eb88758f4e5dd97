import FilmgateCore

/// Writes one JSON object, key by key, in the order given.
///
/// Straight into bytes: a card has tens of thousands of lines.
struct JSONObject {
    private var bytes: [UInt8]

    init() { bytes = [0x7B] }

    /// Takes what is written already, and goes on behind it; `finish` gives all of it back.
    init(behind earlier: inout [UInt8]) {
        bytes = []
        swap(&bytes, &earlier)
        bytes.append(0x7B)
    }

    mutating func add(_ key: String, _ value: String?) {
        begin(key)
        if let value { JSONString.append(value, to: &bytes) } else { addNull() }
    }
    mutating func add(_ key: String, _ value: Int?) { raw(key, value.map(String.init) ?? "null") }
    mutating func add(_ key: String, _ value: UInt64?) { raw(key, value.map { String($0) } ?? "null") }
    mutating func add(_ key: String, _ value: Bool?) { raw(key, value.map { $0 ? "true" : "false" } ?? "null") }
    mutating func add(_ key: String, number: Double?) { raw(key, number.flatMap { $0.isFinite ? String($0) : nil } ?? "null") }
    /// Three decimals.
    mutating func add(_ key: String, seconds: Double) { raw(key, String((seconds * 1000).rounded() / 1000)) }
    mutating func add(_ key: String, _ values: [String]) {
        begin(key)
        list(values) { JSONString.append($0, to: &$1) }
    }
    mutating func add(_ key: String, _ object: JSONObject) {
        begin(key)
        bytes += object.bytes
        bytes.append(0x7D)
    }
    mutating func add(_ key: String, objects: [JSONObject]) {
        begin(key)
        list(objects) { $1 += $0.bytes + [0x7D] }
    }
    /// An object that is written where it stands.
    mutating func add(_ key: String, _ fill: (inout JSONObject) -> Void) {
        begin(key)
        bytes.append(0x7B)
        fill(&self)
        bytes.append(0x7D)
    }

    private mutating func list<Value>(_ values: [Value], _ write: (Value, inout [UInt8]) -> Void) {
        bytes.append(0x5B)
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            write(value, &bytes)
        }
        bytes.append(0x5D)
    }

    private mutating func raw(_ key: String, _ value: String) {
        begin(key)
        JSONString.copy(value, to: &bytes)
    }

    private mutating func addNull() { JSONString.copy("null", to: &bytes) }

    /// Only an object's own brace can stand there where nothing has been added.
    private mutating func begin(_ key: String) {
        if bytes.last != 0x7B { bytes.append(0x2C) }
        JSONString.append(key, to: &bytes)
        bytes.append(0x3A)
    }

    /// All bytes, also those from before; nothing is left in the object.
    ///
    /// Changes the object instead of consuming it: the compiler would copy all bytes for each line.
    mutating func finish() -> [UInt8] {
        bytes.append(0x7D)
        var all: [UInt8] = []
        swap(&all, &bytes)
        return all
    }

    var finished: String { String(decoding: bytes + [0x7D], as: UTF8.self) }
}

enum JSONString {
    /// A JSON string literal (RFC 8259 §7); invalid file-name bytes travel as their private-use scalars.
    static func quoted(_ text: String) -> String {
        var result: [UInt8] = []
        append(text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends that literal; nearly every text needs no escape and is copied whole.
    static func append(_ text: String, to result: inout [UInt8]) {
        var text = text
        result.append(0x22)
        text.withUTF8 { bytes in
            if isPlain(bytes) { result.append(contentsOf: bytes) } else { escape(bytes, &result) }
        }
        result.append(0x22)
    }

    static func copy(_ text: String, to result: inout [UInt8]) {
        var text = text
        text.withUTF8 { result.append(contentsOf: $0) }
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        // Without a way out of the loop: the compiler looks at many bytes at once.
        for byte in bytes {
            found |= (byte < 0x20 ? 1 : 0) | (byte == 0x22 ? 1 : 0) | (byte == 0x5C ? 1 : 0) | (byte == 0x7F ? 1 : 0)
        }
        return found == 0
    }

    private static func escape(_ bytes: UnsafeBufferPointer<UInt8>, _ result: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case 0x22: result += [0x5C, 0x22]
            case 0x5C: result += [0x5C, 0x5C]
            case 0x0A: result += [0x5C, 0x6E]
            case 0x0D: result += [0x5C, 0x72]
            case 0x09: result += [0x5C, 0x74]
            case _ where byte < 0x20 || byte == 0x7F: result += "\\u00\(padded(hexadecimal: byte))".utf8
            default: result.append(byte)
            }
        }
    }

    private static func padded(hexadecimal value: UInt8) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }
}
