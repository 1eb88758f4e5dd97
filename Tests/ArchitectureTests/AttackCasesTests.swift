import Testing

/// The list of what broke under attack is whole, and none of its tests has been renamed or lost.
@Suite struct AttackCasesTests {
    private struct Row {
        let name: String, tests: [(suite: String, function: String)]
    }

    private let rows: [Row]

    init() throws {
        let list = try #require(Repository.file("Tests/attack-findings.md"))
        rows = list.lines.compactMap { line in
            let cells = line.split(separator: "|").map { String($0) }
            guard cells.count == 4, cells[0].firstMatch(of: #/\d/#) != nil else { return nil }
            let name = cells[0].split(separator: " ").prefix(2).joined(separator: " ")
            let tests = cells[3].matches(of: #/`(\w+)\.(\w+)`/#).map { (suite: String($0.1), function: String($0.2)) }
            return Row(name: name, tests: tests)
        }
    }

    @Test func everyCaseHasATest() {
        let cards = ["S1-1", "S1-2", "S2-1", "S2-2", "S2-3", "S2-4", "S2-5"].map { "C \($0)" }
        let cameras = (1...3).map { "K D\($0)" }, deliveries = (1...4).map { "U D\($0)" }
        let shoot = (1...4).map { "S \($0)" } + ["N 2.3b"]
        let reading = (1...5).map { "R A\($0)" } + (1...4).map { "R B\($0)" }
        let orders = (1...5).map { "O D\($0)" }
        #expect(rows.map(\.name) == cards + cameras + deliveries + shoot + reading + orders)
        for row in rows { #expect(!row.tests.isEmpty, "\(row.name)") }
    }

    @Test func everyTestNamedThereExists() {
        for row in rows {
            for test in row.tests {
                let isThere = Repository.tests.contains { DocsTests.has($0, test.function, of: test.suite) }
                #expect(isThere, "\(row.name) names \(test.suite).\(test.function), which is not there")
            }
        }
    }
}
