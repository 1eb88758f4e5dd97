import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import FrameFastTarget

@Suite(.serialized, .timeLimit(.minutes(5))) struct ConformanceTests {
    static func bench() throws -> HTTPBench {
        let state = try ScratchFolder()
        var bench = HTTPBench { _ in
            let (double, server) = try FrameFastDouble.start { ($0.sizes, $0.isChoosy) = (0...(.max), false) }
            return HTTPBench.Server(port: server.port, copies: { double.copies($0) }, stop: { server.stop() })
        } make: { base, auth, logger, patience in
            try target(base, state: state.path, auth, logger: logger) {
                ($0.web.stallTimeout, $0.web.answerTimeout) = (patience, patience)
            }
        } isUpload: {
            $0.method == "PUT"
        }
        // The address that the bytes go to carries its own permission.
        bench.isSigned = { $0.target == "/uploads/presign" }
        return bench
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench().plain)
    }
    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench())
    }
}
