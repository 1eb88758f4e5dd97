import FilmgateCore
import FilmgateSample
import Glibc
import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct GalleryTests {
    /// Talks to a gallery with its token.
    struct Client: Sendable {
        let base: String
        var transport = CurlTransport()

        func send(
            _ method: String, _ path: String, _ body: HTTPBody? = nil, headers: [(name: String, value: String)] = [],
            token: String? = "Bearer t0ken"
        ) async throws(IngestError) -> HTTPResponse {
            let authorization = token.map { [(name: "Authorization", value: $0)] } ?? []
            return try await transport.send(
                HTTPExchange(HTTPRequest(method, base + path, headers: headers + authorization), body: body))
        }
    }

    /// A gallery in a folder of its own.
    struct Bench {
        let folder: TemporaryFolder, gallery: GalleryServer, client: Client

        init(_ folder: TemporaryFolder, fault: String? = nil) async throws {
            self.folder = folder
            gallery = try GalleryServer(directory: folder.path + "/gallery", token: "t0ken", fault: fault)
            client = Client(base: "http://127.0.0.1:\(try await gallery.start())")
        }
    }

    func with(fault: String? = nil, _ body: (Bench) async throws -> Void) async throws {
        let bench = try await Bench(try TemporaryFolder(), fault: fault)
        do { try await body(bench) } catch {
            await bench.gallery.stop()
            throw error
        }
        await bench.gallery.stop()
    }

    static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func storesAFileOnceHoweverItComes() async throws {
        try await with { bench in
            let first = try await bench.client.send("PUT", "/api/assets/a%20b.jpg", .text("abc", type: "image/jpeg"))
            #expect(first.status == 201)
            let json = try #require(first.json)
            #expect(
                json["sha256"] == .string(Self.abc) && json["size"] == .integer(3) && json["name"] == .string("a b.jpg")
            )
            #expect(json["duplicate"] == .bool(false) && first[header: "Location"] == json["url"]?.text)
            var form = Multipart()
            form.add("album", "x")
            form.add("file", file: try slice("abc", in: bench.folder), fileName: "other.jpg", type: "image/jpeg")
            let second = try await bench.client.send("POST", "/api/assets", form.body)
            #expect(
                second.status == 200 && second.json?["id"] == json["id"] && second.json?["duplicate"] == .bool(true))
            let raw = try await bench.client.send(
                "POST", "/api/assets?name=third.jpg", .text("abc", type: "image/jpeg"))
            #expect(raw.status == 200 && bench.gallery.count == 1)
        }
    }

    @Test func saysWhatItHas() async throws {
        try await with { bench in
            let id =
                try await bench.client.send("PUT", "/api/assets/a.jpg", .text("abc", type: "image/jpeg")).json?["id"]?
                .text ?? ""
            #expect(try await bench.client.send("HEAD", "/api/assets/by-digest/\(Self.abc)").status == 200)
            #expect(
                try await bench.client.send("HEAD", "/api/assets/by-digest/" + String(Self.abc.reversed())).status
                    == 404)
            #expect(try await bench.client.send("GET", "/api/assets/by-digest/\(Self.abc)").json?["id"]?.text == id)
            for key in [id, Self.abc] {
                let bytes = try await bench.client.send("GET", "/api/assets/\(key)")
                #expect(
                    bytes.status == 200 && bytes.body == Array("abc".utf8)
                        && bytes[header: "Content-Type"] == "image/jpeg")
            }
            #expect(try await bench.client.send("GET", "/api/assets/nothing").status == 404)
            #expect(try await bench.client.send("GET", "/").status == 200)
            let health = try await bench.client.send("GET", "/api/health", token: nil)
            #expect(health.status == 200)
        }
    }

    @Test func listsInPages() async throws {
        try await with { bench in
            for name in ["a", "b", "c"] {
                _ = try await bench.client.send("PUT", "/api/assets/\(name).jpg", .text(name, type: "image/jpeg"))
            }
            let page = try #require(try await bench.client.send("GET", "/api/assets?limit=2").json)
            #expect(
                page.at("assets.1.name") == .string("b.jpg") && page["total"] == .integer(3)
                    && page["next"] == .integer(2))
            let rest = try #require(try await bench.client.send("GET", "/api/assets?limit=2&offset=2").json)
            #expect(rest.at("assets.0.name") == .string("c.jpg") && rest["next"] == nil)
            #expect(try await bench.client.send("GET", "/api/assets?offset=-5&limit=99999999").status == 200)
        }
    }

    @Test func remembersAcrossRestarts() async throws {
        let folder = try TemporaryFolder()
        let bench = try await Bench(folder)
        _ = try await bench.client.send("PUT", "/api/assets/a.jpg", .text("abc", type: "image/jpeg"))
        await bench.gallery.stop()
        let again = try await Bench(folder)
        #expect(again.gallery.count == 1)
        #expect(try await again.client.send("PUT", "/api/assets/z.jpg", .text("abc", type: "image/jpeg")).status == 200)
        await again.gallery.stop()
    }

    @Test func asksForItsToken() async throws {
        try await with { bench in
            let basic = "Basic " + Base64.text(of: Array("anyone:t0ken".utf8))
            for (token, status) in [
                (String?.none, 401), ("Bearer wrong", 401), ("Bearer t0ken2", 401), ("t0ken", 401),
                ("bearer t0ken", 200), (basic, 200),
            ] {
                let response = try await bench.client.send("GET", "/api/assets", token: token)
                #expect(response.status == status)
            }
            let upload = try await bench.client.send("PUT", "/api/assets/a.jpg", .text("abc", type: "x/y"), token: nil)
            #expect(upload.status == 401)
            #expect(bench.gallery.count == 0)
        }
    }

    @Test(arguments: [
        "..%2F..%2Fetc%2Fpasswd", "%2e%2e", "a%00b", "%0d%0aX", "x/../../y", "%F0%9F%93%B7.jpg", "con", "%FF%FE",
        String(repeating: "n", count: 600),
    ])
    func namesNeverLeaveTheFolder(_ name: String) async throws {
        try await with { bench in
            let response = try await bench.client.send("PUT", "/api/assets/" + name, .text("abc", type: "x/y"))
            #expect([200, 201, 400, 404].contains(response.status))
            for entry in try bench.folder.files().keys { #expect(entry.hasPrefix("gallery/assets/\(Self.abc)/")) }
        }
    }

    @Test func aPageCannotBeSmuggledIn() async throws {
        try await with { bench in
            let script = HTTPBody.text("<script>alert(1)</script>", type: "text/html")
            let id =
                try await bench.client.send("PUT", "/api/assets/%3Cimg%20src=x%3E.html", script).json?["id"]?.text ?? ""
            #expect(
                try await bench.client.send("GET", "/api/assets/\(id)")[header: "Content-Type"]
                    == "application/octet-stream")
            let page = String(decoding: try await bench.client.send("GET", "/").body, as: UTF8.self)
            #expect(!page.contains("<img src=x>"))
        }
    }

    @Test func aPromisedDigestIsChecked() async throws {
        try await with { bench in
            let good = Base64.text(of: try #require(Hex.bytes(Self.abc)))
            let wrong = Base64.text(of: [UInt8](repeating: 1, count: 32))
            for (digest, status) in [(wrong, 400), (good, 201)] {
                let header = [(name: "Content-Digest", value: "sha-256=:\(digest):")]
                #expect(
                    try await bench.client.send("PUT", "/api/assets/a.jpg", .text("abc", type: "x/y"), headers: header)
                        .status == status)
            }
            #expect(bench.gallery.count == 1)
        }
    }

    @Test func theSameBytesAtOnceAreOneAsset() async throws {
        try await with { bench in
            let body = HTTPBody.bytes([UInt8](repeating: 5, count: 300_000), type: "image/jpeg")
            let client = bench.client
            let statuses = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<8 {
                    group.addTask { (try? await client.send("PUT", "/api/assets/\(number).jpg", body))?.status }
                }
                return await group.reduce(into: [Int]()) { $0.append($1 ?? 0) }
            }
            #expect(statuses.sorted() == [200, 200, 200, 200, 200, 200, 200, 201] && bench.gallery.count == 1)
        }
    }

    @Test(arguments: [
        ("unauthorized:1", 401), ("forbidden:1", 403), ("too-large:1", 413), ("busy:1", 429), ("busy-date:1", 429),
        ("error:1", 500), ("redirect:1", 307),
    ])
    func refusesAsTold(_ fault: String, _ status: Int) async throws {
        try await with(fault: fault) { bench in
            let body = HTTPBody.bytes([UInt8](repeating: 5, count: 300_000), type: "image/jpeg")
            let refused = try await bench.client.send("PUT", "/api/assets/a.jpg", body)
            #expect(refused.status == status && bench.gallery.count == 0)
            if status == 429 { #expect(RetryAfter.of(refused) != nil) }
            #expect(try await bench.client.send("PUT", "/api/assets/a.jpg", body).status == 201)
        }
    }

    @Test(arguments: [("reset-before:1", 0), ("reset-middle:1", 0), ("reset-after:1", 1), ("cut:1", 1)])
    func breaksOffAsTold(_ fault: String, _ stored: Int) async throws {
        try await with(fault: fault) { bench in
            let body = HTTPBody.bytes([UInt8](repeating: 5, count: 3_000_000), type: "image/jpeg")
            await #expect(throws: IngestError.self) { try await bench.client.send("PUT", "/api/assets/a.jpg", body) }
            #expect(bench.gallery.count == stored)
            #expect(try await bench.client.send("PUT", "/api/assets/a.jpg", body).status == (stored == 1 ? 200 : 201))
            #expect(bench.gallery.count == 1)
            // What did not become an asset is gone.
            let files = try bench.folder.files()
            #expect(files.count == 1, "\(files.keys)")
        }
    }

    @Test(arguments: ["stall:1", "slow:1"]) func keepsOneWaitingAsTold(_ fault: String) async throws {
        try await with(fault: fault) { bench in
            var options = TransportOptions()
            options.answer = .milliseconds(300)
            let impatient = Client(base: bench.client.base, transport: CurlTransport(options))
            let body = HTTPBody.bytes([UInt8](repeating: 5, count: 2_000_000), type: "image/jpeg")
            let first = try? await impatient.send("PUT", "/api/assets/a.jpg", body)
            #expect(fault == "stall:1" ? first == nil : true)
            let second = try await bench.client.send("PUT", "/api/assets/a.jpg", body)
            #expect(second.status < 300 && bench.gallery.count == 1)
        }
    }

    @Test func aTokenCanExpire() async throws {
        try await with(fault: "expire:2") { bench in
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await bench.client.send("GET", "/api/assets").status) }
            #expect(statuses == [200, 200, 401, 401])
        }
    }

    @Test(arguments: ["nonsense", "busy:0", "busy:x", "busy:-1", "reset"]) func unknownFaultsAreNamed(
        _ text: String
    ) throws {
        let error = #expect(throws: IngestError.self) { try GalleryFault.list(text) }
        #expect(error?.code == .misconfigured && error?.advice?.contains("reset-after") == true)
    }

    @Test func aTakenPortIsSaidClearly() async throws {
        try await with { bench in
            let port = WebAddress(bench.client.base)?.port ?? 0
            let second = try GalleryServer(directory: bench.folder.path + "/two", token: "t", port: port)
            let error = await #expect(throws: IngestError.self) { try await second.run() }
            #expect(error?.code == .misconfigured)
        }
    }

    func slice(_ text: String, in folder: TemporaryFolder) throws -> FileSlice {
        let path = folder.path + "/upload"
        let file = try #require(fopen(path, "wb"))
        fputs(text, file)
        fclose(file)
        return FileSlice(path: path, size: UInt64(text.utf8.count))
    }
}
