import FilmgateCore
import Yams

/// Finds the second place of a key that a map holds twice: the composer only tells the first.
///
/// The first key is given another name of the same length and the text is composed again; the map that holds the
/// renamed key then also shows where the other one stands.
struct DuplicateKey {
    let source: YAMLText

    func located(_ names: [String], first: Yams.Mark) -> ConfigError {
        let name = names.first ?? ""
        let second = place(after: name, first)
        let hint = second.map { _ in "It was first given in line \(first.line)." }
        let mark = second ?? Place(file: source.file, line: first.line, column: first.column)
        return ConfigError(mark, "duplicate-key", "The key `\(name)` is given twice.", hint: hint)
    }

    private func place(after name: String, _ first: Yams.Mark) -> Place? {
        var text = source.neutral
        var next = (name: YAMLPlaceholders.neutralized(name), mark: first)
        for _ in 0..<4 {
            guard let renamed = Self.renaming(next.name, at: next.mark, in: text) else { return nil }
            text = renamed
            do {
                guard let root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else {
                    return nil
                }
                return Self.key(YAMLPlaceholders.neutralized(name), besides: first, in: root).map { mark(of: $0) }
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                if names.first.map(YAMLPlaceholders.restored) == name { return mark(of: context.mark) }
                next = (names.first ?? "", context.mark)
            } catch {
                return nil
            }
        }
        return nil
    }

    private func mark(of mark: Yams.Mark) -> Place { Place(file: source.file, line: mark.line, column: mark.column) }

    /// `text` with the key at `mark` overwritten by as many stand-ins; nil when the key is not spelt there letter by
    /// letter (escapes).
    private static func renaming(_ name: String, at mark: Yams.Mark, in text: String) -> String? {
        var scalars = Array(text.unicodeScalars)
        let key = Array(name.unicodeScalars)
        guard !key.isEmpty, var start = offset(of: mark, in: scalars), start < scalars.count else { return nil }
        if scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
        guard start + key.count <= scalars.count, scalars[start..<(start + key.count)].elementsEqual(key) else {
            return nil
        }
        for index in key.indices { scalars[start + index] = "\u{4FFFE}" }
        // Equal names of equal length stay apart by their place: the last scalars spell the offset in two values.
        for bit in 0..<min(key.count, 24) where start >> bit & 1 == 1 { scalars[start + bit] = "\u{5FFFE}" }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func offset(of mark: Yams.Mark, in scalars: [Unicode.Scalar]) -> Int? {
        var line = 1, start = 0
        while line < mark.line {
            guard let end = scalars[start...].firstIndex(where: { $0 == "\n" || $0 == "\r" }) else { return nil }
            start = scalars[end] == "\r" && end + 1 < scalars.count && scalars[end + 1] == "\n" ? end + 2 : end + 1
            line += 1
        }
        return start + mark.column - 1
    }

    /// The mark of key `name` in the map that also has a key at `first`.
    private static func key(_ name: String, besides first: Yams.Mark, in node: Node) -> Yams.Mark? {
        switch node {
        case .sequence(let items):
            for item in items { if let mark = key(name, besides: first, in: item) { return mark } }
            return nil
        case .mapping(let pairs):
            let isMap = pairs.contains { $0.key.mark?.line == first.line && $0.key.mark?.column == first.column }
            if isMap { return pairs.first { $0.key.scalar?.string == name }?.key.mark }
            for pair in pairs { if let mark = key(name, besides: first, in: pair.value) { return mark } }
            return nil
        default: return nil
        }
    }
}
