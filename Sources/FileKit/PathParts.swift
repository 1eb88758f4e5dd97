/// `path` for a message: in backticks, control characters spelt out so that a hostile name cannot forge lines or move
/// the cursor.
func shown(_ path: String) -> String {
    var text = "`"
    for scalar in path.unicodeScalars {
        if scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || scalar.value >= 0x10FF00
        {
            text += "\\u{" + String(scalar.value, radix: 16) + "}"
        } else {
            text.unicodeScalars.append(scalar)
        }
    }
    return text + "`"
}

/// The folder that holds `path`: `/a` for `/a/b`, `/` for `/a`, `.` for a bare name.
func parent(of path: String) -> String {
    var end = path.utf8.endIndex
    while end > path.utf8.startIndex, path.utf8[path.utf8.index(before: end)] == 0x2F {
        end = path.utf8.index(before: end)
    }
    guard let slash = path.utf8[..<end].lastIndex(of: 0x2F) else { return "." }
    var cut = slash
    while cut > path.utf8.startIndex, path.utf8[path.utf8.index(before: cut)] == 0x2F {
        cut = path.utf8.index(before: cut)
    }
    return cut == path.utf8.startIndex ? "/" : String(path[..<cut])
}

/// The last component of `path`.
func lastComponent(of path: String) -> String {
    path.utf8.split(separator: 0x2F).last.map { String(Substring($0)) } ?? path
}
