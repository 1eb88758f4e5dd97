import FilmgateCore
import Yams

/// Says in a sentence, at the place where it helps, why the text could not be composed.
struct YAMLFault {
    let source: YAMLText

    func explained(_ error: YamlError) -> ConfigError {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            return explained(problem, at: mark, context)
        case .composer(_, _, let mark, _):
            return ConfigError(
                place(mark.line, mark.column), "several-documents", "A second document begins here; a file holds one.",
                hint: "Remove the line `---`.")
        case .duplicatedKeysInMapping(let names, let context):
            // What the composer calls a key that is a list or a map itself.
            if names.first == "<uncovertable>" {
                return ConfigError(
                    place(context.mark.line, context.mark.column), "bad-key",
                    "A key must be a word, not a list or a map.")
            }
            return DuplicateKey(source: source).located(names.map(YAMLPlaceholders.restored), first: context.mark)
        default: return ConfigError(place(1, 1), "syntax", "The file cannot be read as YAML.")
        }
    }

    private func explained(_ problem: String, at mark: Yams.Mark, _ context: YamlError.Context?) -> ConfigError {
        if let reference = YAMLReference.first(in: source.original, before: mark.line) {
            let refusal = YAMLPlaceholders.refusal(reference.introducer)
            return ConfigError(
                place(reference.line, reference.column), refusal.code, refusal.message, hint: refusal.hint)
        }
        if let column = tab(in: mark.line) {
            return ConfigError(
                place(mark.line, column), "tab-indentation", "A tab cannot indent YAML.", hint: "Use spaces.")
        }
        if let missing = missingColon(in: mark.line) { return missing }
        if problem.contains("did not find expected key"), let open = openQuote(before: mark.line) {
            return ConfigError(open, "syntax", "This quoted text is never closed.", hint: "Add the closing quote.")
        }
        let known = Self.sentences.first { problem.contains($0.problem) }
        let start = known?.atContext == true ? context?.mark ?? mark : mark
        let sentence = known?.sentence ?? "This is not valid YAML: \(problem)."
        let hint =
            isBareReference(mark.line) ? "Between braces a reference needs quotes: \"${env:NAME}\"." : known?.hint
        return ConfigError(place(start.line, start.column), known?.code ?? "syntax", sentence, hint: hint)
    }

    /// `- card { paths: [/x] }`: the brace belongs to a value, so what stands before it is a key.
    private func missingColon(in line: Int) -> ConfigError? {
        var text = ""
        text.unicodeScalars.append(contentsOf: source.line(line))
        let bare = text.drop { $0 == " " }, item = bare.hasPrefix("- ") ? bare.dropFirst(2).drop { $0 == " " } : bare
        let word = item.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        let rest = item.dropFirst(word.count)
        guard !word.isEmpty, rest.first == " ", rest.drop(while: { $0 == " " }).first == "{" else { return nil }
        return ConfigError(
            place(line, text.count - rest.count + 1), "syntax", "A `:` is missing after `\(word)`.",
            hint: "Write `\(word): { … }`.")
    }

    /// Where a double-quoted value begins that does not end in its line, while a key follows in the next: the quote of
    /// a later value closes it, and only there the text stops making sense.
    private func openQuote(before last: Int) -> Place? {
        let lines = source.original.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }.prefix(last)
        for (line, next) in zip(lines, lines.dropFirst()) {
            guard let quote = line.firstIndex(of: "\"") else { continue }
            let before = line[..<quote], rest = line[quote...].dropFirst()
            let opens = before.last { $0 != " " }.map { $0 == ":" || $0 == "-" } ?? false
            guard opens, !before.contains("'"), !before.contains("#"), !rest.contains("\""), !rest.contains("\\") else {
                continue
            }
            guard next.contains(":"), let number = lines.firstIndex(where: { $0.startIndex == line.startIndex }) else {
                return nil
            }
            return place(number + 1, before.count + 1)
        }
        return nil
    }

    /// `{ token: ${env:NAME} }`: the inner brace ends the text.
    private func isBareReference(_ line: Int) -> Bool {
        var text = ""
        text.unicodeScalars.append(contentsOf: source.line(line))
        return text.contains(": ${") && text.contains("{ ")
    }

    /// The column of the first tab among the spaces before a line's text.
    private func tab(in line: Int) -> Int? {
        let text = source.line(line)
        guard let end = text.firstIndex(where: { $0 != " " }), text[end] == "\t" else { return nil }
        return end + 1
    }

    private func place(_ line: Int, _ column: Int) -> Place { Place(file: source.file, line: line, column: column) }

    private struct Sentence {
        var problem: String, code = "syntax", sentence: String, hint: String?, atContext = false
    }

    private static let sentences: [Sentence] = [
        Sentence(
            problem: "mapping values are not allowed", sentence: "A `:` is not expected here.",
            hint: "Text that holds `: ` needs quotes; keys of one map stand in one column."),
        Sentence(
            problem: "did not find expected key", sentence: "A key was expected here.",
            hint: "Keys of one map stand in one column; a quote inside quoted text is written twice."),
        Sentence(
            problem: "did not find expected '-' indicator", sentence: "A list entry was expected here.",
            hint: "Entries of one list begin with `- ` in one column."),
        Sentence(
            problem: "did not find expected ',' or '}'", sentence: "This map is not closed: a `,` or `}` is missing.",
            hint: nil, atContext: true),
        Sentence(
            problem: "did not find expected ',' or ']'", sentence: "This list is not closed: a `,` or `]` is missing.",
            hint: nil, atContext: true),
        Sentence(
            problem: "found unexpected end of stream", sentence: "This quoted text is never closed.",
            hint: "Add the closing quote.", atContext: true),
        Sentence(
            problem: "found unexpected document indicator", sentence: "This quoted text is never closed.",
            hint: "Add the closing quote.", atContext: true),
        Sentence(
            problem: "could not find expected ':'", sentence: "A `:` is missing after this key.",
            hint: "Write `key: value`, with a space after the colon.", atContext: true),
        Sentence(
            problem: "block sequence entries are not allowed", sentence: "A list entry (`- `) is not expected here.",
            hint: "A list begins on a line of its own, below its key."),
        Sentence(
            problem: "block mapping values are not allowed", sentence: "A `:` is not expected here.", hint: nil),
        Sentence(
            problem: "found unknown escape character", sentence: "Double-quoted text has an unknown escape (`\\`).",
            hint: "Write `\\\\` for a backslash, or use single quotes."),
        Sentence(
            problem: "cannot start any token", sentence: "Text cannot begin with this character.",
            hint: "Put the text in quotes."),
        Sentence(
            problem: "exceeded max depth", code: "too-deep",
            sentence: "Lists and maps are nested more than \(YAMLReader.maxDepth) deep.", hint: nil),
        Sentence(
            problem: "did not find expected <document start>", sentence: "Nothing was expected here any more.",
            hint: "The file is one map: `key: value` lines that begin in the first column."),
    ]
}
