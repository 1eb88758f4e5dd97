import Testing

/// The list of malformed cases is whole, and none of its tests has been renamed or lost.
@Suite struct MalformedCasesTests {
    private let rows: [(number: Int, tests: [String])]

    init() throws {
        let list = try #require(Repository.file("Tests/malformed-cameras.md"))
        rows = list.lines.compactMap { line in
            let cells = line.split(separator: "|").map { String($0) }
            guard cells.count == 3, let number = Int(cells[0].filter { !$0.isWhitespace }) else { return nil }
            return (
                number,
                cells[2].split(separator: "`").map(String.init).filter { name in
                    name.allSatisfy { $0.isLetter || $0.isNumber }
                }
            )
        }
    }

    @Test func everyCaseHasATest() {
        #expect(rows.map(\.number) == Array(1...24))
        #expect(rows.allSatisfy { $0.tests.count >= 3 })
    }

    @Test func everyTestNamedThereExists() {
        let all = (Repository.files(in: "Tests", ending: ".swift") + Repository.files(in: "Plugins", ending: ".swift"))
            .filter { $0.path.contains("Tests/") }.map(\.text).joined(separator: "\n")
        for row in rows {
            for test in row.tests { #expect(all.contains("func \(test)("), "case \(row.number): \(test)") }
        }
    }
}
