/// The names of the types that files declare.
enum TypeName {
    /// Nested ones, too.
    static func declared(in file: Repository.File) -> [String] { file.code.compactMap { declaration($0)?.name } }

    /// The words that a name is made of, in the singular: `FTPConnections` is `FTP` and `Connection`.
    static func words(of name: String) -> [Substring] {
        name.matches(of: /[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z0-9]*/).map { match in
            let word = match.output
            if word.hasSuffix("sses") { return word.dropLast(2) }
            return word.hasSuffix("s") && !word.hasSuffix("ss") ? word.dropLast() : word
        }
    }

    /// What each target imports.
    static let imports = Repository.code.reduce(into: [String: Set<String>]()) {
        $0[$1.target, default: []].formUnion(LayerTests.imports(of: $1))
    }

    /// The types at the top level of each target.
    static let own = byTarget { _ in true }
    /// Those of them that other targets see.
    static let offered = byTarget { $0.contains("public") || $0.contains("package") }

    private static func byTarget(_ fits: ([Substring]) -> Bool) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for file in Repository.code {
            for line in file.code where line.first?.isWhitespace == false {
                guard let (name, modifiers) = declaration(line), fits(modifiers) else { continue }
                found[file.target, default: []].insert(name)
            }
        }
        return found
    }

    /// What a line declares, and the words before it; nil when it declares no type.
    private static func declaration(_ line: String) -> (name: String, modifiers: [Substring])? {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
        guard let keyword = words.firstIndex(where: { kinds.contains($0) }), keyword + 1 < words.count,
            words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }),
            words[keyword + 1].first?.isUppercase == true
        else { return nil }
        return (String(words[keyword + 1]), Array(words[..<keyword]))
    }

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect", "open", "nonisolated",
        "distributed",
    ]
}
