import Foundation
import Testing

/// The pages lead a reader everywhere: decisions are numbered once and listed, articles are listed, and links point at
/// files.
@Suite struct DocsTests {
    static let catalogue = "Sources/FilmgateCore/FilmgateCore.docc"
    private let landing: String
    private let articles: [String], decisions: [String]

    init() throws {
        landing = try #require(Repository.file("\(Self.catalogue)/FilmgateCore.md")).text
        func names(_ folder: String) -> [String] {
            Repository.files(in: "\(Self.catalogue)/\(folder)", ending: ".md").map { file in
                String(file.path.split(separator: "/").last?.dropLast(3) ?? "")
            }
        }
        (articles, decisions) = (names("Manual"), names("Decisions"))
    }

    @Test func decisionsAreNumberedOnce() {
        #expect(decisions.map { Int($0.prefix(4)) } == Array(1...decisions.count).map { $0 })
    }

    @Test func everyPageIsListedOnce() {
        for page in articles + decisions {
            #expect(
                landing.components(separatedBy: "<doc:\(page)>").count == 2,
                "FilmgateCore.md does not list \(page) once")
        }
    }

    @Test func theFirstPageIsShort() throws {
        #expect(try #require(Repository.file("README.md")).lines.count <= 151)
    }

    @Test(arguments: Repository.files(in: "", ending: ".md"))
    func linksPointAtFiles(_ page: Repository.File) {
        let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
        for match in page.text.matches(of: /\]\(([^)\s]+)\)/) {
            let target = match.1.split(separator: "#", omittingEmptySubsequences: false)[0]
            guard !target.isEmpty, !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
            let path = folder.isEmpty ? String(target) : "\(folder)/\(target)"
            #expect(Repository.exists(path), "\(page.path) links to \(target), which is not there")
        }
    }

    /// Pages that follow one thing through the code: each number names a function and the file that it is in.
    @Test(arguments: ["OneAsset", "OneCameraObject"]) func everyStepOfAWalkIsThere(_ page: String) throws {
        let file = try #require(Repository.file("\(Self.catalogue)/Manual/\(page).md"))
        let steps = file.lines.filter { $0.firstMatch(of: #/^\d+\. /#) != nil }
        #expect(steps.count > 20)
        for step in steps {
            let names = #/^\d+\. `(\w+)\.(\w+)` \(\[[^\]]+\]\(([^)]+)\)\): /#
            let found = try #require(step.firstMatch(of: names), "\(page): \(step)")
            let path = Self.resolved(String(found.3), from: "\(Self.catalogue)/Manual")
            let code = try #require(Repository.file(path), "\(page) names \(path), which is not there")
            #expect(Self.has(code, String(found.2), of: String(found.1)), "\(path) has no \(found.1).\(found.2)")
        }
    }

    /// Elsewhere on those pages, and within the steps, a function is named without its file.
    @Test(arguments: ["OneAsset", "OneCameraObject"]) func everyFunctionThatAWalkNamesIsThere(_ page: String) throws {
        let file = try #require(Repository.file("\(Self.catalogue)/Manual/\(page).md"))
        for match in file.text.matches(of: /`([A-Z]\w+)\.([a-z]\w*)`/) {
            let isThere = Repository.code.contains { Self.has($0, String(match.2), of: String(match.1)) }
            #expect(isThere, "\(page) names \(match.1).\(match.2), which is not there")
        }
    }

    /// Whether `file` declares the type, or extends it, and declares a function of that name.
    static func has(_ file: Repository.File, _ function: String, of type: String) -> Bool {
        let declaration = "(struct|class|enum|actor|protocol|extension) ([A-Za-z]+\\.)*\(type)\\b"
        let member = function == "init" ? "\\binit[?]?[(<]" : "\\bfunc \(function)[(<]"
        return [declaration, member].allSatisfy { file.text.range(of: $0, options: .regularExpression) != nil }
    }

    private static func resolved(_ link: String, from folder: String) -> String {
        var parts = folder.split(separator: "/")
        for part in link.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
