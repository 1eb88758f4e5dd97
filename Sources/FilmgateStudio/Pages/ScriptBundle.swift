/// The page's scripts in one file: a browser that comes for the first time asks once instead of a dozen times.
///
/// What the first page does not need comes in a second one, as soon as the first page is there or somebody wants it.
///
/// Each module becomes a function that runs when it is first wanted. Lines that hold nothing but a comment are left
/// empty, types within a line are left out, and lines begin where their code does: nobody who looks at the page reads
/// more. Nothing else changes, not even the numbers of the lines. That works for modules as this page has them: imports
/// of names at the beginning of a line, exports where something is declared, and no text that goes over several lines.
enum ScriptBundle {
    /// Where the second file is, beside the first.
    static let rest = "rest.js"

    /// Nil where a module says it in another way; the modules themselves are served then.
    static func text(_ modules: [(name: String, text: String)], first: String) -> String? {
        texts(modules, first: first, soon: modules.map(\.name))?.first
    }

    /// `soon`: what the first page needs beside `first`, with what those import by name; all else is in the rest.
    static func texts(
        _ modules: [(name: String, text: String)], first: String, soon: [String]
    ) -> (first: String, rest: String)? {
        let early = reached(from: soon + [first], modules)
        var parts = (first: "", rest: "")
        for module in modules {
            guard var body = function(module.text) else { return nil }
            for late in modules where !early.contains(late.name) {
                body = body.replacing("Promise.resolve(\"\(late.name)\").then(use)", with: "more(\"\(late.name)\")")
            }
            let text = "modules[\"\(module.name)\"] = () => {\n\(body)};\n"
            if early.contains(module.name) { parts.first += text } else { parts.rest += text }
        }
        var start = "const modules = {}, made = {}, use = (name) => made[name] ??= modules[name]();\n"
        if !parts.rest.isEmpty { start += following }
        parts.first = start + parts.first + "use(\"\(first)\");\n"
        parts.rest = "export const add = (modules, use, more) => {\n\(parts.rest)};\n"
        return parts
    }

    /// What could not be fetched is asked for at another address: browsers remember that one failed.
    private static let following = """
        let tries = 0, rest = null;
        const address = () => "./\(rest)" + (tries ? "?" + tries : "");
        const fetchRest = () => rest ??= import(address()).then(({ add }) => add(modules, use, more), (error) => {
        [rest, tries] = [null, tries + 1];
        throw error;
        });
        const more = (name) => fetchRest().then(() => use(name));
        setTimeout(() => fetchRest().catch(() => {}), 2000);

        """

    /// These modules, and what they import by name.
    private static func reached(from names: [String], _ modules: [(name: String, text: String)]) -> Set<String> {
        var found: Set<String> = [], next = names
        while let name = next.popLast() {
            guard found.insert(name).inserted, let module = modules.first(where: { $0.name == name }) else { continue }
            for line in module.text.split(separator: "\n") where line.hasPrefix("import ") {
                next += line.split(separator: "\"").dropFirst().first.map { [String($0.dropFirst(2))] } ?? []
            }
        }
        return found
    }

    private static func function(_ text: String) -> String? {
        var names: [Substring] = [], body = "", isWithin = false
        for whole in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isWithin || isComment(whole) {
                // One over several lines ends where a line ends.
                isWithin = !whole.hasSuffix("*/") && (isWithin || whole.drop { $0 == " " }.hasPrefix("/**"))
                body += "\n"
                continue
            }
            let line = untyped(whole)
            // A text that ends further down would lose its spaces.
            guard line.count(where: { $0 == "`" }).isMultiple(of: 2) else { return nil }
            if line.hasPrefix("import ") {
                guard let own = taken(line) else { return nil }
                body += own
            } else if line.hasPrefix("export ") {
                let words = line.dropFirst(7).split(maxSplits: 3) {
                    !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$")
                }
                let name = words.first == "async" ? words.dropFirst(2).first : words.dropFirst().first
                guard let kind = words.first, ["async", "function", "class", "const"].contains(kind), let name else {
                    return nil
                }
                names.append(name)
                body += later(line.dropFirst(7))
            } else {
                body += later(line.drop { $0 == " " })
            }
            body += "\n"
        }
        return body + "return { \(names.joined(separator: ", ")) };\n"
    }

    private static func isComment(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("//")
            || text.hasPrefix("/**")
                && (!text.contains("*/") || text.hasSuffix("*/") && !text.dropLast(2).contains("*/"))
    }

    /// Without `/** @type … */` and its like; what stands in quotes before one may hold it, and is left.
    private static func untyped(_ line: Substring) -> Substring {
        var own = "", rest = line
        while let start = rest.firstRange(of: "/** @") {
            own += rest[..<start.lowerBound]
            guard isOutside(own), let end = rest[start.upperBound...].firstRange(of: "*/") else {
                own += rest[start]
                rest = rest[start.upperBound...]
                continue
            }
            rest = rest[end.upperBound...].drop { $0 == " " }
        }
        return own + rest
    }

    /// Whether what follows is no part of a text in quotes.
    private static func isOutside(_ text: String) -> Bool {
        let signs: [Character] = ["\"", "'", "`"]
        return signs.allSatisfy { sign in text.count(where: { $0 == sign }).isMultiple(of: 2) }
    }

    /// Of a line such as `import { a, b } from "./x.js"`.
    private static func taken(_ line: Substring) -> String? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("./"), parts[2] == ";", parts[0].hasPrefix("import { "),
            parts[0].hasSuffix(" } from "),
            !parts[0].contains(" as ")
        else { return nil }
        return "const \(parts[0].dropFirst(7).dropLast(6)) = use(\"\(parts[1].dropFirst(2))\");"
    }

    /// `import("./x.js")` within a line.
    private static func later(_ line: Substring) -> String {
        guard line.contains("import(\"./") else { return String(line) }
        return String(line).replacing("import(\"./", with: "Promise.resolve(\"").replacing(
            ".js\")", with: ".js\").then(use)")
    }
}
