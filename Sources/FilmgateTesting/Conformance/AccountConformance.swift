import FilmgateCore

/// Makes a bench with nothing stored and nobody signed in.
public struct AccountCase: Sendable {
    public var make: @Sendable () throws -> any AccountBench
    public init(_ make: @escaping @Sendable () throws -> any AccountBench) { self.make = make }
}

/// What every sign-in with an account keeps to, whoever the provider is.
public enum AccountConformance {
    static func request(_ bench: any AccountBench) -> HTTPRequest {
        HTTPRequest("PUT", bench.target, headers: [("X-Other", "kept")])
    }

    private static func signedIn(_ item: AccountCase) async throws -> (any AccountBench, any AccountProvider) {
        let bench = try item.make(), provider = try bench.provider()
        try await bench.signIn(provider)
        return (bench, provider)
    }

    public static let checks: [Check<AccountCase>] =
        [
            Check("nobody is signed in: says so, with advice") { item in
                let bench = try item.make(), provider = try bench.provider()
                let error = try await expectError(.unauthorized) { () async throws(IngestError) in
                    try await provider.sign(request(bench))
                }
                try expect(error.advice?.contains("filmgate login") == true, "No advice: \(error)")
                let state = try await provider.restore(validating: true).state
                try expect(state == .signedOut, "The state is \(state).")
            },
            Check("signs for the bound origin and no other") { item in
                let (bench, provider) = try await signedIn(item)
                let signed = try await provider.sign(request(bench))
                try expect(
                    signed.headers.count > 1 && signed[header: "X-Other"] == "kept",
                    "Nothing was added, or something lost.")
                for other in ["https://evil.example/", "http://gallery.example/api", "https://gallery.example:8443/"] {
                    try await expectError(.untrusted) { () async throws(IngestError) in
                        try await provider.sign(HTTPRequest("GET", other))
                    }
                }
            },
            Check("an edited file does not send the token elsewhere") { item in
                let (bench, _) = try await signedIn(item)
                let edited = try bench.provider()
                try edited.bind(to: "https://evil.example/upload")
                try await expectError(.untrusted) { () async throws(IngestError) in
                    try await edited.sign(HTTPRequest("PUT", "https://evil.example/upload"))
                }
            },
            Check("another process takes it up") { item in
                let (bench, provider) = try await signedIn(item)
                let facts = try await bench.provider().restore(validating: true)
                let first = try await provider.restore(validating: false)
                guard case .signedIn(let account) = facts.state, case .signedIn(let before) = first.state else {
                    throw CheckFailure("The state is \(facts.state).")
                }
                try expect(account.id == before.id && !account.id.isEmpty, "The account changed.")
            },
            Check("20 callers, one token that has run out: one renewal") { item in
                let (bench, provider) = try await signedIn(item)
                let before = bench.renewals
                bench.pass(seconds: bench.lifetime + 5)
                let tokens = try await authorizations(provider, bench, 20)
                try expect(bench.renewals == before + 1, "\(bench.renewals - before) renewals")
                try expect(tokens.count == 1, "Callers got different tokens.")
            },
            Check("20 refusals of one token: one renewal") { item in
                let (bench, provider) = try await signedIn(item)
                let signed = try await provider.sign(request(bench)), before = bench.renewals
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await provider.renew(after: Rejection(status: 401, request: signed)) }
                    }
                    for try await renewed in group { try expect(renewed, "It says that trying again is no use.") }
                }
                try expect(bench.renewals == before + 1, "\(bench.renewals - before) renewals")
            },
            Check("two processes, one token that has run out: one renewal") { item in
                let (bench, provider) = try await signedIn(item)
                let other = try bench.provider(), before = bench.renewals
                _ = try await other.sign(request(bench))
                bench.pass(seconds: bench.lifetime + 5)
                async let first = authorizations(provider, bench, 5)
                async let second = authorizations(other, bench, 5)
                let tokens = try await first.union(second)
                try expect(bench.renewals == before + 1 && tokens.count == 1, "\(bench.renewals - before) renewals")
            },
        ] + troubles

    static let troubles: [Check<AccountCase>] = [
        Check("a lost answer within the grace: still signed in") { item in
            let (bench, provider) = try await signedIn(item)
            try bench.order(.losesOne)
            bench.pass(seconds: bench.lifetime + 5)
            _ = try await provider.sign(request(bench))
            let state = try await provider.restore(validating: false).state
            try expect(state.word == "signedIn", "The state is \(state).")
        },
        Check("a provider that is down signs nobody out") { item in
            let (bench, provider) = try await signedIn(item)
            try bench.order(.down)
            bench.pass(seconds: bench.lifetime + 5)
            try await expectError(.unavailable, .network, .rateLimited) { () async throws(IngestError) in
                try await provider.sign(request(bench))
            }
            let state = try await provider.restore(validating: false).state
            try expect(state.word == "signedIn", "The state is \(state).")
            try bench.order(.none)
            _ = try await provider.sign(request(bench))
        },
        Check("a page in between signs nobody out") { item in
            for status in [401, 403, 404] {
                let (bench, provider) = try await signedIn(item)
                try bench.order(.page(status))
                bench.pass(seconds: bench.lifetime + 5)
                try await expectError(.unavailable) { () async throws(IngestError) in
                    try await provider.sign(request(bench))
                }
                let state = try await bench.provider().restore(validating: false).state
                try expect(state.word == "signedIn", "After a page with status \(status) the state is \(state).")
                try bench.order(.none)
                _ = try await provider.sign(request(bench))
            }
        },
        Check("a refused renewal holds, and says how to go on") { item in
            let (bench, provider) = try await signedIn(item)
            try bench.order(.refuses)
            bench.pass(seconds: bench.lifetime + 5)
            let error = try await expectError(.unauthorized) { () async throws(IngestError) in
                try await provider.sign(request(bench))
            }
            try expect(error.advice?.contains("filmgate login") == true, "No advice: \(error)")
            try bench.order(.none)
            try await bench.signIn(provider)
            _ = try await provider.sign(request(bench))
        },
        Check("signing out forgets, even when the provider is down") { item in
            let (bench, provider) = try await signedIn(item)
            try bench.order(.down)
            _ = await Result { () async throws(IngestError) in try await provider.signOut() }
            let state = try await bench.provider().restore(validating: false).state
            try expect(state == .signedOut, "The state is \(state).")
            try await expectError(.unauthorized) { () async throws(IngestError) in
                try await provider.sign(request(bench))
            }
            try expect(
                FolderContents.below(bench.state).allSatisfy { file in
                    !bench.secrets.contains { file.text.contains($0) }
                },
                "It is still on disk.")
        },
        Check("signing out tells the provider") { item in
            let (bench, provider) = try await signedIn(item)
            guard bench.revokes else { return }
            try await provider.signOut()
            try expect(bench.revoked == 1, "The provider was not told.")
        },
        Check("no printed form and no file but the store shows a secret") { item in
            let (bench, provider) = try await signedIn(item)
            let signed = try await provider.sign(request(bench))
            var text = "\(provider) \(signed) \(String(reflecting: provider))"
            Swift.dump(provider, to: &text)
            Swift.dump(signed, to: &text)
            for file in FolderContents.below(bench.state) where file.name != "secrets.json" {
                text += file.name + file.text
            }
            for secret in bench.secrets { try expect(!text.contains(secret), "It shows \(secret).") }
        },
    ]

    private static func authorizations(
        _ provider: any AccountProvider, _ bench: any AccountBench, _ count: Int
    ) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask { try await provider.sign(request(bench))[header: "Authorization"] ?? "" }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
    }
}
