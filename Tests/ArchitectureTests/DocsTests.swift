import Foundation
import Testing

/// The pages lead a reader everywhere: decisions are numbered once and listed, articles are listed, and links point at files.
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
            #expect(landing.components(separatedBy: "<doc:\(page)>").count == 2, "FilmgateCore.md does not list \(page) once")
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
}
