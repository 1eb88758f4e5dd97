import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import S3Target

@Suite(
    .serialized, .enabled(if: Bucket.hasMoto, "moto_server is not installed: .ci/deps.sh peers"),
    .timeLimit(.minutes(10)))
struct ConformanceTests {
    static func bench(_ edit: @escaping @Sendable (inout S3Options) -> Void = { _ in }) -> HTTPBench {
        HTTPBench { _ in
            let bucket = try await Bucket.moto()
            return HTTPBench.Server(port: bucket.port, room: "/" + bucket.name, copies: { try await bucket.copies($0) })
        } make: { base, auth, logger, patience in
            try Bucket.target(base, auth, logger: logger) { options in
                (options.web.stallTimeout, options.web.answerTimeout) = (patience, patience)
                edit(&options)
            }
        } isUpload: {
            $0.method == "PUT"
        }
    }

    @Test(arguments: TargetConformance.checks) func target(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench().plain)
    }
    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench())
    }

    /// Everything in parts.
    @Test(arguments: TargetConformance.checks) func inParts(_ check: Check<TargetBench>) async throws {
        try await check.run(
            Self.bench { ($0.multipartAbove, $0.partSize) = (ByteCount(10_000), ByteCount(5 << 20)) }.plain)
    }
}
