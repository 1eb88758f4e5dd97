import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Testing

@testable import ConvexTarget

@Suite(.serialized, .timeLimit(.minutes(5))) struct ConformanceTests {
    static let bench: HTTPBench = {
        var bench = HTTPBench { _ in
            let (double, server) = try ConvexDouble.start()
            return HTTPBench.Server(port: server.port, copies: { double.copies($0) }, stop: { server.stop() })
        } make: { base, auth, logger, patience in
            var options = ConvexOptions()
            (options.url, options.commit, options.find) = (
                try #require(AddressTemplate(base)), "files:save", "files:bySha256"
            )
            options.web.auth = try AuthReference(node: ConfigNode(.scalar("me", quoted: true)))
            (options.web.stallTimeout, options.web.answerTimeout) = (patience, patience)
            let context = ModuleContext(
                name: "c", logger: logger, state: Temporary.folder, lookup: Lookup(auth: ["me": auth]))
            return try ConvexTarget(options, context)
        } isUpload: {
            $0.target.hasPrefix("/api/storage/upload")
        }
        // The address that the bytes go to carries its own permission, and only a mutation after it makes them a file
        // of the app's.
        bench.isSigned = { $0.target == "/api/mutation" }
        bench.storesAtOnce = false
        return bench
    }()

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench.plain)
    }
    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench)
    }
}
