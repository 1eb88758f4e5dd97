import FilmgateCore
import Logging
import Testing
import UploadStage

@Suite struct UploadStageTests {
    @Test func handsEveryAssetToTheNamedTargets() async throws {
        var config = UploadStage.Config()
        config.to = ["archive", "gallery"]
        let stage = try UploadStage(config, ModuleContext(name: "upload", logger: Logger(label: "test"), state: ""))
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "a.jpg", size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "a"))
        guard case .deliver(let same, let targets) = try await stage.process(asset, of: Shot(key: "a", assets: [asset]))
        else {
            return #expect(Bool(false), "the upload stage must deliver")
        }
        #expect(same.id == asset.id)
        #expect(targets == ["archive", "gallery"])
    }

    @Test func refusesAnEmptyListAndTooManyWorkers() {
        func errors(_ pairs: [(String, ConfigNode.Value)]) -> [String] {
            let mark = Mark(file: "t", line: 1, column: 1)
            let node = ConfigNode(.map(pairs.map { ConfigNode.Pair(.init($0.0, mark), ConfigNode($0.1, mark)) }), mark)
            var errors: [ConfigError] = []
            _ = UploadStage.Config.schema.decode(node, errors: &errors)
            return errors.map(\.code)
        }
        let one = ConfigNode.Value.list([ConfigNode(.scalar("archive", quoted: false))])
        #expect(errors([]) == ["missing-key"])
        #expect(errors([("to", .list([]))]) == ["empty-list"])
        #expect(errors([("to", one), ("workers", .scalar("0", quoted: false))]) == ["out-of-range"])
        #expect(errors([("to", one), ("workers", .scalar("8", quoted: false))]) == [])
    }
}
