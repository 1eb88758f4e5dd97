import FilmgateCore
import FilmgateLedger
import Logging
import TestThreads
import Testing

@testable import FilmgateStudio

/// What other pages, other programs and hostile names may try.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct AttackTests {
    /// `same-site` is a page at another port of this machine.
    @Test(arguments: ["cross-site", "same-site", "same-origin, cross-site", ""]) func anotherPageMayNotAsk(
        _ site: String
    ) async throws {
        try await StudioBench.with { bench async throws in
            let (cookie, key) = try bench.session()
            for path in ["/api/v1/session", "/api/v1/frames", "/api/v1/about"] {
                let reply = try bench.client.send(
                    "GET", path, ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": site])
                #expect(reply.status == 403 && reply.code == "crossSite", "\(path)")
            }
            #expect(try bench.client.send("GET", "/plain", ["Sec-Fetch-Site": site]).status == 403)
            let code = try bench.server.makeCode()
            #expect(try bench.pair(code, ["Sec-Fetch-Site": site, "Content-Type": "application/json"]).status == 403)
            #expect(try bench.pair(code).status == 201, "the code was not used up")
        }
    }

    @Test func withoutFetchMetadataTheOriginDecides() async throws {
        try await StudioBench.with { bench async throws in
            let json = ["Content-Type": "application/json"], own = "http://127.0.0.1:\(bench.client.port)"
            for origin in [
                "http://127.0.0.1:1", "https://127.0.0.1:\(bench.client.port)", "null", "http://evil.example",
                own + ".evil.example",
            ] {
                #expect(
                    try bench.pair(try bench.server.makeCode(), json.merging(["Origin": origin]) { $1 }).status == 403,
                    "\(origin)")
            }
            #expect(try bench.pair(try bench.server.makeCode(), json).status == 403, "none at all")
            #expect(try bench.pair(try bench.server.makeCode(), json.merging(["Origin": own]) { $1 }).status == 201)
        }
    }

    /// A form can send text without asking first.
    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", ""]) func aFormIsNoRequest(
        _ type: String
    ) async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.pair(
                try bench.server.makeCode(), ["Sec-Fetch-Site": "same-origin", "Content-Type": type])
            #expect(reply.status == 415 && reply.code == "wrongType")
        }
    }

    /// Cookies go to every port of this machine, so that half alone must be worth nothing; nor is the other.
    @Test func halfASessionIsNone() async throws {
        try await StudioBench.with { bench async throws in
            let (cookie, key) = try bench.session(), (_, otherKey) = try bench.session()
            func status(_ headers: [String: String]) throws -> Int {
                try bench.client.send("GET", "/api/v1/session", headers).status
            }
            #expect(try status(["Cookie": cookie, "X-Filmgate-Key": key]) == 200)
            #expect(try status(["Cookie": "other=1; \(cookie)", "X-Filmgate-Key": key]) == 200)
            for headers in [
                [:], ["Cookie": cookie], ["X-Filmgate-Key": key], ["Cookie": cookie, "X-Filmgate-Key": otherKey],
                ["Cookie": cookie, "X-Filmgate-Key": ""], ["Cookie": "\(cookie); \(cookie)", "X-Filmgate-Key": key],
                ["Authorization": "Bearer \(key)"], ["Authorization": "Basic OmFiYw=="],
            ] { #expect(try status(headers) == 401) }
            #expect(try bench.client.send("GET", "/plain", ["Cookie": cookie]).status == 401)
        }
    }

    @Test func theCookieIsForTheServerAlone() async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.pair(try bench.server.makeCode()), cookie = try #require(reply["Set-Cookie"])
            for part in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(part)) }
            #expect(!cookie.contains("Domain") && !reply.body.contains(cookie.split(separator: "=")[1].prefix(64)))
        }
    }

    @Test func aSessionThatIsEndedIsOver() async throws {
        try await StudioBench.with { bench async throws in
            let (cookie, key) = try bench.session()
            let own = ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-origin"]
            #expect(try bench.client.send("DELETE", "/api/v1/session", own).status == 200)
            #expect(try bench.client.send("GET", "/api/v1/session", own).status == 401)
            let (second, secondKey) = try bench.session(), other = ["Cookie": second, "X-Filmgate-Key": secondKey]
            let id = try #require(try bench.client.send("GET", "/api/v1/session", other).json?["id"]?.string)
            #expect(try bench.client.send("DELETE", "/api/v1/sessions/\(id)", try bench.token(.admin)).status == 200)
            #expect(try bench.client.send("GET", "/api/v1/session", other).status == 401)
        }
    }

    @Test func everyAnswerForbidsScriptsFromElsewhere() async throws {
        try await StudioBench.with { bench async throws in
            let paths = [
                "/", "/plain", "/nothing", "/api/v1/about", "/api/v1/frames", "/api/v1/nothing", "/api/v1/session",
            ]
            for reply in try paths.map({ try bench.client.send("GET", $0) }) + [try bench.client.send("POST", "/")] {
                #expect(reply["Content-Security-Policy"] == SecurityHeaders.policy)
                #expect(
                    reply["X-Content-Type-Options"] == "nosniff"
                        && reply["Cross-Origin-Resource-Policy"] == "same-origin")
                #expect(
                    reply["Cross-Origin-Opener-Policy"] == "same-origin" && reply["Referrer-Policy"] == "no-referrer")
                #expect(reply["Access-Control-Allow-Origin"] == nil && reply["Server"] == nil)
                #expect(reply["Content-Type"]?.isEmpty == false)
            }
            #expect(SecurityHeaders.policy.contains("require-trusted-types-for 'script'; trusted-types 'none'"))
        }
    }

    @Test func bodiesAndHeadersAreLimited() async throws {
        try await StudioBench.with { bench async throws in
            let long = "{\"code\":\"\(String(repeating: "A", count: 70_000))\"}"
            let reply = try bench.client.send("POST", "/api/v1/session", StudioBench.own, body: long)
            #expect(reply.status == 413 && reply.code == "tooLarge")
            for headers in [
                ["X-Long": String(repeating: "a", count: 20_000)],
                Dictionary(uniqueKeysWithValues: (0..<200).map { ("X-\($0)", "a") }),
            ] {
                #expect(try bench.client.send("GET", "/", headers).status == 400)
            }
            #expect(try bench.client.send("GET", "/" + String(repeating: "a", count: 3000)).status == 400)
        }
    }

    @Test(arguments: [
        "", "[]", "{", "null", "{\"code\":1}", "{}", "{\"code\":\"a\",\"role\":\"admin\"}",
        String(repeating: "[", count: 5000),
    ]) func aBodyThatIsNoneIsRefused(_ body: String) async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.client.send("POST", "/api/v1/session", StudioBench.own, body: body)
            #expect(reply.status == 400 && reply.code == "misconfigured")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=501", "limit=1e2", "limit=-1", "limit=+5", "at=x", "nothing=1", "limit=1&limit=2",
        "ending=nothing", "kind=jpeg,", "cursor=nothing", "at=1&cursor=1-1", "q=\(String(repeating: "a", count: 201))",
        "q=a%00b", "run=9999999999999999999", "rating=0", "rating=6", "pick=maybe", "pick=", "state=nothing",
        "from=yesterday", "without=event&event=x", "without=camera", "from=2026-05-01", "to=2026-05-01T12:30:00",
    ]) func aParameterThatIsNoneIsRefused(_ query: String) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reply = try bench.client.send("GET", "/api/v1/frames?\(query)", try bench.token(.admin))
            #expect(
                reply.status == 400 && reply.code == "misconfigured" && reply.json?["message"]?.string?.isEmpty == false
            )
        }
    }

    @Test(arguments: [
        "<img src=x onerror=alert(1)>.JPG", "\"><script>alert(1)</script>", "a\u{202E}gpj.exe", "line\nbreak",
        "nul\u{0}l", "'; DROP TABLE asset; --",
    ])
    func aNameIsShownAndNotObeyed(_ name: String) async throws {
        try await StudioBench.with(fill: { try await $0.record([.asset(Rows.asset(1, name: name))]) }) {
            bench async throws in
            let token = try bench.token(.admin), frames = try bench.client.send("GET", "/api/v1/frames", token)
            #expect(
                frames.json?.at("frames.0.path")?.string == "DCIM/100/" + name
                    && frames["Content-Type"] == "application/json")
            let secret = token["Authorization"]?.dropFirst(7) ?? ""
            let basic = ["Authorization": "Basic " + Self.base64("any:\(secret)")]
            let plain = try bench.client.send("GET", "/plain", basic)
            #expect(plain.status == 200 && !plain.body.contains("<img") && !plain.body.contains("<script"))
            #expect(
                try bench.client.send("GET", "/api/v1/frames?q=\(Self.encoded(name))", token).status
                    == (name.contains("\u{0}") ? 400 : 200)
            )
        }
    }

    static func base64(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            let four = (0..<4).map { letters[Int(bits >> (18 - 6 * UInt32($0)) & 63)] }
            return String(four[...part.count]) + String(repeating: "=", count: 3 - part.count)
        }.joined()
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }
}
