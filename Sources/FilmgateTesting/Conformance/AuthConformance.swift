public import FilmgateCore

/// A sign-in module under test.
public struct AuthBench: Sendable {
    /// Builds it over these secrets, bound to nothing yet.
    public var make: @Sendable (any SecretResolver) throws -> any AuthProvider

    public init(_ make: @escaping @Sendable (any SecretResolver) throws -> any AuthProvider) { self.make = make }
}

/// What every sign-in that holds a secret keeps to.
public enum AuthConformance {
    static let address = "https://gallery.example/api/assets"

    /// Names of the checks that are about a secret in the options.
    public static let secretOnly: Set<String> = [
        "a missing secret holds the target instead of ending the run", "a secret cannot start a header of its own",
        "the same secret refused is not tried again, a new one is",
    ]

    public static let checks: [Check<AuthBench>] = [
        Check("building reads no secret") { bench in
            let secrets = CanarySecrets()
            let provider = try bench.make(secrets)
            try provider.bind(to: address)
            try expect(secrets.lookups == 0, "It read a secret before it signed anything.")
        },
        Check("signs for the bound origin, whatever the path") { bench in
            let provider = try bench.make(CanarySecrets())
            try provider.bind(to: address)
            let plain = HTTPRequest("PUT", "https://gallery.example:443/other?x=1", headers: [("X-Other", "kept")])
            let signed = try await provider.sign(plain)
            try expect(signed.headers.count > plain.headers.count || signed.url != plain.url, "Nothing was added.")
            try expect(signed[header: "X-Other"] == "kept" && signed.method == "PUT", "The request itself was changed.")
        },
        Check("refuses every other origin") { bench in
            let provider = try bench.make(CanarySecrets())
            try provider.bind(to: address)
            for other in [
                "https://evil.example/", "http://gallery.example/api", "https://gallery.example:8443/",
                "https://gallery.example.evil.example/",
                "https://sub.gallery.example/", "https://gallery.example@evil.example/", "ftp://gallery.example/",
                "gallery.example",
            ] {
                try await expectError(.untrusted) { () async throws(IngestError) in
                    try await provider.sign(HTTPRequest("GET", other))
                }
            }
        },
        Check("refuses when it is bound to nothing") { bench in
            let provider = try bench.make(CanarySecrets())
            try await expectError(.untrusted) { () async throws(IngestError) in
                try await provider.sign(HTTPRequest("GET", address))
            }
        },
        Check("plain http only to this machine") { bench in
            let provider = try bench.make(CanarySecrets())
            for place in ["http://127.0.0.1:8080/", "http://[::1]:8080/", "http://localhost:8080/", "http://nas.lan/"] {
                try provider.bind(to: place)
            }
            for place in ["http://127.0.0.1:8080/", "http://[::1]:8080/", "http://LOCALHOST:8080/"] {
                _ = try await provider.sign(HTTPRequest("GET", place))
            }
            try await expectError(.untrusted) { () async throws(IngestError) in
                try await provider.sign(HTTPRequest("GET", "http://nas.lan/"))
            }
        },
        Check("a missing secret holds the target instead of ending the run") { bench in
            let provider = try bench.make(CanarySecrets(nil))
            try provider.bind(to: address)
            try await expectError(.unauthorized) { () async throws(IngestError) in
                try await provider.sign(HTTPRequest("GET", address))
            }
        },
        Check("a secret cannot start a header of its own") { bench in
            let secrets = CanarySecrets("abc\r\nX-Evil: 1")
            let provider = try bench.make(secrets)
            try provider.bind(to: address)
            let error = try await expectError(.unauthorized) { () async throws(IngestError) in
                try await provider.sign(HTTPRequest("GET", address))
            }
            try expect(!"\(error)".contains("Evil"), "The error shows the secret.")
        },
        Check("no printed form shows the secret") { bench in
            let secrets = CanarySecrets()
            let provider = try bench.make(secrets)
            try provider.bind(to: address)
            let signed = try await provider.sign(HTTPRequest("GET", address))
            var text = ""
            Swift.dump(provider, to: &text)
            Swift.dump(signed, to: &text)
            try secrets.expectAbsent(
                from: text + "\(provider) \(signed) \(String(reflecting: provider))", "A description")
        },
        Check("the same secret refused is not tried again, a new one is") { bench in
            let secrets = CanarySecrets()
            let provider = try bench.make(secrets)
            try provider.bind(to: address)
            let signed = try await provider.sign(HTTPRequest("GET", address))
            let same = try await provider.renew(after: Rejection(status: 401, request: signed))
            try expect(!same, "It wants to send a refused credential again.")
            secrets.value = "another-0c5d7e9b"
            let fresh = try await provider.renew(after: Rejection(status: 401, request: signed))
            try expect(fresh, "It did not notice the new secret.")
            let again = try await provider.sign(HTTPRequest("GET", address))
            try expect(again.headers.map(\.value) != signed.headers.map(\.value), "It signs with the old secret.")
        },
    ]
}
