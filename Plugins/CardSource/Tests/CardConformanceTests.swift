import CardSource
import FilmgateCore
import FilmgateTesting
import Logging
import Testing

@Suite struct CardConformanceTests {
    @Test(arguments: SourceConformance.checks)
    func keepsTheRulesOfSources(_ check: Check<SourceBench>) async throws {
        let card = ScratchCard()
        for (index, name) in ["IMG_1.CR3", "IMG_1.JPG", "IMG_1.XMP", "two words.JPG", "EMPTY.XMP"].enumerated() {
            let content = (0..<(name == "EMPTY.XMP" ? 0 : 9000 + index)).map {
                UInt8(truncatingIfNeeded: $0 &* (index + 3))
            }
            card.file(Array("DCIM/100/\(name)".utf8), content)
        }
        let path = card.path
        try await check.run(
            SourceBench {
                var config = CardSource.Config()
                config.paths = [path]
                return try CardSource(config, ModuleContext(name: "card", logger: Logger(label: "test"), state: ""))
            })
        withExtendedLifetime(card) {}
    }
}
