/// Writes one JSON object, key by key, in the order given.
///
/// Straight into bytes: a card has tens of thousands of lines.
package struct JSONWriter {
    private var bytes: [UInt8]

    package init() { bytes = [0x7B] }

    /// Takes what is written already, and goes on behind it; `finish` gives all of it back.
    package init(behind earlier: inout [UInt8]) {
        bytes = []
        swap(&bytes, &earlier)
        bytes.append(0x7B)
    }

    package mutating func add(_ key: String, _ value: String?) {
        begin(key)
        if let value { JSONString.append(value, to: &bytes) } else { addNull() }
    }
    package mutating func add(_ key: String, _ value: Int?) { raw(key, value.map(String.init) ?? "null") }
    package mutating func add(_ key: String, _ value: UInt64?) { raw(key, value.map { String($0) } ?? "null") }
    package mutating func add(_ key: String, _ value: Bool?) { raw(key, value.map { $0 ? "true" : "false" } ?? "null") }
    package mutating func add(_ key: String, number: Double?) {
        raw(key, number.flatMap { $0.isFinite ? String($0) : nil } ?? "null")
    }
    /// Three decimals.
    package mutating func add(_ key: String, seconds: Double) { raw(key, String((seconds * 1000).rounded() / 1000)) }
    package mutating func add(_ key: String, _ values: [String]) {
        begin(key)
        list(values) { JSONString.append($0, to: &$1) }
    }
    package mutating func add(_ key: String, _ object: JSONWriter) {
        begin(key)
        bytes += object.bytes
        bytes.append(0x7D)
    }
    package mutating func add(_ key: String, objects: [JSONWriter]) {
        begin(key)
        list(objects) { $1 += $0.bytes + [0x7D] }
    }
    /// An object that is written where it stands.
    package mutating func add(_ key: String, _ fill: (inout JSONWriter) -> Void) {
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
    package mutating func finish() -> [UInt8] {
        bytes.append(0x7D)
        var all: [UInt8] = []
        swap(&all, &bytes)
        return all
    }

    package var finished: String { String(decoding: bytes + [0x7D], as: UTF8.self) }
}
