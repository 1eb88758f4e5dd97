import Testing

/// The page in the browser: nothing is read as HTML or as a script, and every text of it lies in one catalogue.
@Suite struct PageTests {
    static let files = Repository.files(in: "Sources/StudioPage/files", ending: ".js", ".css", ".html")
    static let scripts = files.filter { $0.path.hasSuffix(".js") }
    static let catalogue = "Sources/StudioPage/files/words.js"

    /// What `mark` looks up: states as the server names them, which stand in no script.
    static let states: Set = ["proven", "exempt", "not_proven", "removed", "excluded", "seen", "claimed", "unsure"]

    /// The lines of a script that are no comments.
    static func code(_ file: Repository.File) -> [Substring] {
        file.lines.filter { line in
            let text = line.drop { $0 == " " }
            return !["//", "/*", "*"].contains { text.hasPrefix($0) }
        }
    }

    /// Keys and texts of the catalogue.
    static let words: [(key: String, text: String)] = {
        guard let file = files.first(where: { $0.path == catalogue }),
            let start = file.lines.firstIndex(where: { $0.hasPrefix("const english = {") }),
            let end = file.lines[start...].firstIndex(of: "};")
        else { return [] }
        return file.lines[(start + 1)..<end].flatMap { line in
            line.matches(of: /(?:"([^"]+)"|([A-Za-z_]\w*)): "([^"]*)"/).map {
                (String($0.1 ?? $0.2 ?? ""), String($0.3))
            }
        }
    }()

    /// The scripts without the catalogue's own lines.
    static let using: String = scripts.flatMap { file -> [Substring] in
        guard file.path == catalogue, let end = file.lines.firstIndex(of: "};") else { return code(file) }
        return Array(file.lines[end...])
    }.joined(separator: "\n")

    @Test(arguments: files)
    func nothingIsReadAsHTMLOrCode(_ file: Repository.File) {
        let refused = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser",
            "setHTML", "srcdoc", "eval(", "new Function", "javascript:", "setTimeout(\"", "setTimeout(`",
            "setInterval(\"", "style=", "{ style:", ", style:", "\"style\"", "<style",
        ]
        for word in refused { #expect(!file.text.contains(word), "\(file.path): \(word)") }
        // Nothing comes from elsewhere; this one is a name of a kind of elements and not an address.
        for address in file.text.matches(of: /https?:\/\/[\w.\/]+/) {
            #expect(address.0 == "http://www.w3.org/2000/svg", "\(file.path)")
        }
    }

    @Test func theFirstPageHasNoScriptsOfItsOwn() throws {
        let page = try #require(Self.files.first { $0.path.hasSuffix("index.html") })
        #expect(page.text.firstMatch(of: /\son\w+\s*=/) == nil)
        for script in page.text.matches(of: /<script([^>]*)>([^<]*)</) {
            #expect(script.1.contains(" src=") && script.2.isEmpty)
        }
    }

    @Test func eachTextIsThere() throws {
        try #require(Self.words.count > 250, "the catalogue could not be read")
        let keys = Set(Self.words.map(\.key))
        #expect(keys.count == Self.words.count, "a key stands there twice")
        let asked =
            Self.using.matches(of: /\bt\("([^"]+)"/).map { String($0.1) }
            + Self.using.matches(of: /\bt\([^"()]*(?:\([^"()]*)?\? "([^"]+)" : "([^"]+)"\)/).flatMap {
                [String($0.1), String($0.2)]
            }
        let named = Self.using.matches(of: /\bbutton\("(\w+)"/).map { String($0.1) }
        let pixels = Self.using.matches(of: /this\.pixels = ([^;]+);/).flatMap { line in
            line.1.matches(of: /"(\w+)"/).map { String($0.1) }
        }
        #expect(named.count > 5 && pixels.count > 3, "nothing of this was found")
        #expect(Set(named + pixels).subtracting(keys) == [])
        try #require(asked.count > 150)
        #expect(Set(asked).subtracting(keys) == [])
    }

    @Test func noTextIsLeftOver() {
        // A key such as `exit${code}` is made when it is asked for.
        let beginnings = Self.using.matches(of: /\bt\(`(\w+ ?)\$\{/).map { String($0.1) }
        for (key, text) in Self.words where !Self.using.contains("\"\(key)\"") && !Self.states.contains(key) {
            #expect(beginnings.contains { key.hasPrefix($0) }, "nobody says \(key): \(text)")
        }
    }

    /// A text beside the catalogue would never be in another language.
    @Test(arguments: scripts.filter { $0.path != catalogue })
    func textsStandInTheCatalogue(_ file: Repository.File) {
        for line in Self.code(file) {
            var texts: [Substring] = []
            // What somebody types is no text: it stands in `code`.
            texts += line.matches(of: /\bh\("(?!code")\w+", \{[^{}]*\}, (?:"([^"]*)"|`([^`]*)`)/).map {
                $0.1 ?? $0.2 ?? ""
            }
            texts += line.matches(of: /"?\b(?:aria-label|title|placeholder|alt)"?: "([^"]*)"/).map { $0.1 }
            texts += line.matches(of: /(?:textContent = |announce\(|confirm\(|Error\(|super\()(?:"([^"]*)"|`([^`]*)`)/)
                .map {
                    $0.1 ?? $0.2 ?? ""
                }
            // A sentence, wherever it stands.
            texts += line.matches(of: /["`]([A-Z][a-z]* [a-z]+[^"`]*)["`]/).map { $0.1 }
            for text in texts {
                #expect(Self.fixed(text).firstMatch(of: /[A-Za-z]{2}/) == nil, "\(file.path): “\(text)”")
            }
        }
    }

    /// What of a text stands there as it is, without what is filled in.
    static func fixed(_ text: Substring) -> String {
        var depth = 0, own = ""
        for sign in text {
            if sign == "{" { depth += 1 }
            if depth == 0 { own.append(sign) }
            if sign == "}" { depth = max(0, depth - 1) }
        }
        return own
    }
}
