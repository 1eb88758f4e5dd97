import ArgumentParser
import FilmgateCore

extension Filmgate {
    /// What is wrong with an option that the verb has not, and whose usage helps; nil where all are its own.
    ///
    /// The library looks for such options last: whoever mistypes one is told what else is missing, which may be just
    /// that option.
    static func unknownOption(
        _ words: [String], besides error: any Error
    ) -> (error: ValidationError, verb: any ParsableCommand.Type)? {
        guard exitCode(for: error) != .success, !message(for: error).hasPrefix("Unknown option") else { return nil }
        var verb: any ParsableCommand.Type = Filmgate.self, rest = words[...]
        while let word = rest.first, let next = verb.configuration.subcommands.first(where: { $0._commandName == word })
        {
            verb = next
            rest = rest.dropFirst()
        }
        verb = verb.configuration.defaultSubcommand ?? verb
        if verb == Filmgate.self { return nil }
        let known = options(of: verb)
        var takesNext = false
        for word in rest.prefix(while: { $0 != "--" }) {
            let name = String(word.prefix { $0 != "=" }), isValue = takesNext
            takesNext = known[name] == true && name == word
            guard !isValue, name.hasPrefix("--"), known[name] == nil else { continue }
            let hint = nearest(name, among: known.keys.sorted()).map { ". Did you mean '\($0)'?" } ?? ""
            return (ValidationError("Unknown option '\(Describe.name(name))'\(hint)"), verb)
        }
        return nil
    }

    /// The long options of a verb, by its help; and whether a value comes behind them.
    private static func options(of verb: any ParsableCommand.Type) -> [String: Bool] {
        let help = helpMessage(for: verb, includeHidden: true, columns: 80)
        var options: [String: Bool] = [:]
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let label = line.dropFirst(2).split(separator: "  ", maxSplits: 1).first ?? ""
            for word in label.split(whereSeparator: { " ,/".contains($0) }) where word.hasPrefix("--") {
                options[String(word)] = label.contains("<")
            }
        }
        return options
    }
}
