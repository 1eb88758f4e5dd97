import FilmgateTesting
import Testing

/// The catalogue by which the engine is tested answers as one on a server does, where the same cases are run.
@Suite struct MemoryCatalogTests {
    @Test(arguments: CatalogConformance.checks) func answersAsARealOne(_ check: Check<CatalogBench>) async throws {
        try await check.run(.inMemory())
    }

    @Test func casesHaveNamesOfTheirOwn() {
        let names = CatalogConformance.cases.map(\.name)
        #expect(names.count > 60 && Set(names).count == names.count)
    }
}
