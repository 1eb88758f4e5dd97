import FilmgateCore
import FilmgateTesting
import Logging
import SelectStage
import Testing

@Suite struct SelectConformanceTests {
    @Test(arguments: StageConformance.checks)
    func keepsTheRulesOfStages(_ check: Check<StageBench>) async throws {
        try await check.run(
            StageBench {
                try SelectStage(
                    SelectStage.Config(), ModuleContext(name: "select", logger: Logger(label: "test"), state: ""))
            })
    }
}
