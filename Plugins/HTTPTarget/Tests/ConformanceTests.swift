import FilmgateCore
import FilmgateTesting
import Logging
import Testing

@testable import HTTPTarget

// `make peers` sends a file of 3 GB to a gallery that is built for debugging.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ConformanceTests {
    static func bench(_ options: @escaping @Sendable (String) -> [String: Option]) -> HTTPBench {
        let state = Temporary.ownFolder
        return HTTPBench(start: TestGallery.start) { base, auth, logger, patience in
            let limit = Option.plain("\(Int(patience.inSeconds))s")
            let given = options(base).merging([
                "auth": .text("studio"), "stall_timeout": limit, "answer_timeout": limit,
            ]) { $1 }
            let (config, errors) = decode(given)
            if let first = errors.first { throw first }
            return try HTTPTarget(
                config,
                ModuleContext(name: "gallery", logger: logger, state: state, lookup: Lookup(auth: ["studio": auth])))
        }
    }

    /// A form, with the digest in the answer and a question by digest.
    static let form = bench { base in
        [
            "url": .text(base + "/api/assets"), "fields": .map(["album": .text("{event}")]),
            "digest": .map(["json": .text("sha256")]),
            "find": .map(["url": .text(base + "/api/assets/by-digest/{sha256}")]),
        ]
    }

    /// Bare files under their names; the server says nothing about what it has.
    static let put = bench { base in ["url": .text(base + "/api/assets/{event}/{name}")] }

    @Test(arguments: TargetConformance.checks) func formTarget(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.form.plain)
    }
    @Test(arguments: HTTPConformance.checks) func formOverHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.form)
    }
    @Test(arguments: TargetConformance.checks) func putTarget(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.put.plain)
    }
    @Test(arguments: HTTPConformance.checks) func putOverHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.put)
    }
}
