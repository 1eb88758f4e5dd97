import FilmgateCore

/// What every target that speaks HTTP keeps to over bad networks and with servers in a bad mood.
public enum HTTPConformance {
    public static let checks: [Check<HTTPBench>] = refusals + breaks + secrets

    /// One answer to the first upload, and what it has to mean.
    private static func refusal(
        _ name: String, _ status: Int, _ code: IngestError.Code, headers: [(String, String)] = [],
        then: @escaping @Sendable (IngestError) throws -> Void = { _ in }
    ) -> Check<HTTPBench> {
        Check(name) { bench in
            try await bench.scene(signed: true) { _, seen, _ in
                .answer(
                    status, headers: headers, body: "{\"message\": \"No, \(seen[header: "Authorization"] ?? "").\"}")
            } _: { scene in
                let error = try await expectError(code) { () async throws(IngestError) in
                    try await scene.target.upload(scene.job.job())
                }
                try then(error)
                try expect(error.message.contains("No,"), "The server's words are missing: \(error.message)")
                try scene.expectSecret(keptBy: error)
                try await scene.expectCopies(0)
            }
        }
    }

    private static let refusals: [Check<HTTPBench>] = [
        Check("401 once: renewed, sent again, delivered") { bench in
            try await bench.scene(signed: true) { _, seen, _ in
                // The credential used so far is worthless now; the place where it is kept has the good one.
                seen[header: "Authorization"] == "Bearer expired-credential-1" ? .answer(401) : .relay
            } _: { scene in
                let good = scene.auth.secrets.value
                scene.auth.secrets.value = "expired-credential-1"
                _ = try await scene.auth.sign(HTTPRequest("GET", scene.proxy.url))
                scene.auth.secrets.value = good
                let receipt = try await scene.target.upload(scene.job.job())
                try expect(receipt.state == .done, "It was not delivered.")
                try expect(scene.auth.renewals == 1, "It renewed \(scene.auth.renewals) times.")
                // A question before it may have met the refusal already.
                var credentials: [String] = []
                for used in scene.proxy.seen.compactMap({ $0[header: "Authorization"] }) where used != credentials.last
                {
                    credentials.append(used)
                }
                try expect(
                    credentials == ["Bearer expired-credential-1", "Bearer \(good ?? "")"], "It did not sign anew.")
                try expect(scene.uploads.count <= 2, "It sent \(scene.uploads.count) times.")
                try await scene.expectCopies(1)
            }
        },
        Check("401 again after renewing: unauthorized") { bench in
            try await bench.scene(signed: true) { _, _, secrets in
                secrets.value = (secrets.value ?? "") + "x"
                return .answer(401)
            } _: { scene in
                let error = try await expectError(.unauthorized) { () async throws(IngestError) in
                    try await scene.target.upload(scene.job.job())
                }
                try expect(scene.auth.renewals == 1 && scene.signed.count == 2, "It tried \(scene.signed.count) times.")
                try scene.expectSecret(keptBy: error)
            }
        },
        refusal("403: the target is held", 403, .unauthorized),
        refusal("413: the file is set aside", 413, .rejected),
        refusal("400: the file is set aside", 400, .rejected),
        refusal("429 with seconds", 429, .rateLimited, headers: [("Retry-After", "7")]) { error in
            try expect(
                error.retryAfter == .seconds(7), "Retry-After was not kept: \(String(describing: error.retryAfter))")
        },
        refusal(
            "503 with a date", 503, .unavailable,
            headers: [("Retry-After", "Sun, 06 Nov 1994 08:49:49 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]
        ) { error in
            try expect(
                error.retryAfter == .seconds(12), "Retry-After was not kept: \(String(describing: error.retryAfter))")
        },
        refusal("500: tried again later", 500, .unavailable),
        refusal("507: the target is paused", 507, .storageFull),
    ]
}
