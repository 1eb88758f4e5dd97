import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import ImmichTarget

@Suite(.serialized, .timeLimit(.minutes(5))) struct ConformanceTests {
    static let bench = HTTPBench { _ in
        let (double, server) = try ImmichDouble.start(.v1)
        return HTTPBench.Server(port: server.port, copies: { double.copies($0) }, stop: { server.stop() })
    } make: { base, auth, logger, patience in
        try target(base, auth, logger: logger) { ($0.web.stallTimeout, $0.web.answerTimeout) = (patience, patience) }
    } isUpload: {
        $0.method == "POST" && $0.target == "/api/assets"
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench.plain)
    }
    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench)
    }
}
