import FileKit
import FilmgateCore
import FilmgateTesting
import Testing

@testable import FolderTarget

@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    static func bench(_ verify: FolderTarget.Config.Proof) -> TargetBench {
        TargetBench {
            let fixture = try Fixture()
            let target = try fixture.target { config in config.verify = verify }
            // What it keeps for itself lies in hidden folders.
            return TargetPlace(target) { sha256 in
                try ((try? fixture.tree()) ?? []).count {
                    try !$0.hasSuffix("/") && !$0.hasPrefix(".")
                        && FileCopy.hash(path: fixture.root + "/" + $0).digests.sha256 == sha256
                }
            }
        }
    }

    @Test(arguments: TargetConformance.checks) func rereading(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench(.reread))
    }
    @Test(arguments: TargetConformance.checks) func bySize(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench(.size))
    }
}
