public import FilmgateCore

/// The pipelines that need no file.
public enum BuiltinPipeline {
    /// For `import --to DIR`: every media file and sidecar to `DIR/{captured:yyyy}/{captured:yyyy-MM-dd}/` under its
    /// own name.
    ///
    /// A tree like a file's, so that it passes the same checks. Several directories become the targets `to`, `to-2`,
    /// `to-3` …; any directory name is taken literally. `verify` is the folder target's word, `reread` or `size`.
    public static func importing(to directories: [String], verify: String = "reread", mhl: Bool = false) -> ConfigNode {
        let names = directories.indices.map { $0 == 0 ? "to" : "to-\($0 + 1)" }
        let targets = zip(names, directories).map { name, directory in
            var options = [("path", text(pathTemplate(directory))), ("verify", text(verify))]
            if mhl { options.append(("mhl", ConfigNode(.scalar("true", quoted: false)))) }
            return (name, map([("folder", map(options))]))
        }
        return map([
            ("version", ConfigNode(.scalar("1", quoted: false))),
            ("name", text("import")),
            ("sources", list([map([("card", map([]))])])),
            (
                "stages",
                list(
                    [("exif", map([])), ("dedupe", map([])), ("upload", map([("to", list(names.map(text)))]))].map {
                        map([$0])
                    })
            ),
            ("targets", map(targets)),
        ])
    }

    /// Braces of the directory stand for themselves, and so does a leading `~`: the shell has expanded what was meant
    /// as home.
    private static func pathTemplate(_ directory: String) -> String {
        var literal = directory.hasPrefix("~") ? "./" : ""
        for character in directory.unicodeScalars {
            literal.unicodeScalars.append(character)
            if character == "{" || character == "}" { literal.unicodeScalars.append(character) }
        }
        while literal.utf8.count > 1, literal.hasSuffix("/") { literal.removeLast() }
        return (literal == "/" ? "" : literal) + "/{captured:yyyy}/{captured:yyyy-MM-dd}"
    }

    private static func text(_ text: String) -> ConfigNode { ConfigNode(.scalar(text, quoted: true)) }

    private static func list(_ items: [ConfigNode]) -> ConfigNode { ConfigNode(.list(items)) }

    private static func map(_ pairs: [(String, ConfigNode)]) -> ConfigNode {
        ConfigNode(.map(pairs.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), $0.1) }))
    }
}
