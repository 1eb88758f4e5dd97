import FilmgateCore

/// Writes one JSON object, key by key, in the order given.
struct JSONObject {
    private var text = "{"

    mutating func add(_ key: String, _ value: String?) {
        begin(key)
        if let value { JSONText.append(value, to: &text) } else { text += "null" }
    }
    mutating func add(_ key: String, _ value: Int?) { raw(key, value.map(String.init) ?? "null") }
    mutating func add(_ key: String, _ value: UInt64?) { raw(key, value.map { String($0) } ?? "null") }
    mutating func add(_ key: String, _ value: Bool?) { raw(key, value.map { $0 ? "true" : "false" } ?? "null") }
    mutating func add(_ key: String, number: Double?) { raw(key, number.flatMap { $0.isFinite ? String($0) : nil } ?? "null") }
    /// Three decimals.
    mutating func add(_ key: String, seconds: Double) { raw(key, String((seconds * 1000).rounded() / 1000)) }
    mutating func add(_ key: String, _ values: [String]) { raw(key, "[" + values.map(JSONText.quoted).joined(separator: ",") + "]") }
    mutating func add(_ key: String, _ object: JSONObject) { raw(key, object.finished) }
    mutating func add(_ key: String, objects: [JSONObject]) { raw(key, "[" + objects.map(\.finished).joined(separator: ",") + "]") }

    private mutating func raw(_ key: String, _ value: String) {
        begin(key)
        text += value
    }

    private mutating func begin(_ key: String) {
        if text.utf8.count > 1 { text += "," }
        JSONText.append(key, to: &text)
        text += ":"
    }

    var finished: String { text + "}" }
}

enum JSONText {
    /// A JSON string literal (RFC 8259 §7); invalid file-name bytes travel as their private-use scalars.
    static func quoted(_ text: String) -> String {
        var result = ""
        append(text, to: &result)
        return result
    }

    /// Appends that literal; nearly every text needs no escape and is copied whole.
    static func append(_ text: String, to result: inout String) {
        result += "\""
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) { result += text } else { escape(text, &result) }
        result += "\""
    }

    private static func escape(_ text: String, _ result: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u00" + hex(scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func hex(_ value: UInt32) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }
}
