import FilmgateCore

/// Says where a value is not as a JSON Schema wants it; knows what the document uses, and refuses what it does not
/// know.
struct SchemaCheck {
    let schemas: JSONValue

    func faults(_ value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
        var faults: [String] = []
        for (keyword, wanted) in schema.members ?? JSONObject() {
            switch keyword {
            case "$ref":
                let name = wanted.string?.split(separator: "/").last.map(String.init) ?? ""
                guard let other = schemas[name] else { return ["\(place): no schema \(name)"] }
                faults += self.faults(value, other, at: place)
            case "type":
                let types = wanted.string.map { [$0] } ?? wanted.texts ?? []
                if !types.contains(where: { Self.isOf($0, value) }) { faults.append("\(place): not \(types)") }
            case "const": if value != wanted { faults.append("\(place): not \(wanted)") }
            case "enum": if wanted.items?.contains(value) != true { faults.append("\(place): none of the words") }
            case "minimum":
                if case .integer(let least) = wanted, value.whole ?? least < least {
                    faults.append("\(place): below \(least)")
                }
            case "maximum":
                if case .integer(let most) = wanted, value.whole ?? most > most {
                    faults.append("\(place): above \(most)")
                }
            case "items":
                for (index, item) in (value.items ?? []).enumerated() {
                    faults += self.faults(item, wanted, at: "\(place)/\(index)")
                }
            case "anyOf":
                let all = (wanted.items ?? []).map { self.faults(value, $0, at: place) }
                if !all.contains(where: \.isEmpty) { faults += all.first ?? ["\(place): nothing would be right"] }
            case "required":
                for name in wanted.texts ?? [] where value[name] == nil {
                    faults.append("\(place): \(name) is missing")
                }
            case "properties":
                for (name, inner) in wanted.members ?? JSONObject() {
                    if let member = value[name] { faults += self.faults(member, inner, at: "\(place)/\(name)") }
                }
            case "additionalProperties":
                let known = Set(schema["properties"]?.members?.keys ?? [])
                for name in value.members?.keys ?? [] where wanted.flag == false && !known.contains(name) {
                    faults.append("\(place): \(name) is not said")
                }
            default: faults.append("\(place): the schema's \(keyword) is not known to this check")
            }
        }
        return faults
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("integer", .integer),
            ("null", .null):
            true
        case ("number", .integer), ("number", .number): true
        default: false
        }
    }
}
