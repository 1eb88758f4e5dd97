import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
    @Test func sendsAFileWithItsExactLengthAndNoExpect() async throws {
        let server = try FaultServer { _, _ in .answer(201, headers: [("X-Reply", "yes")], body: "stored") }
        defer { server.stop() }
        let file = try ScratchFile(count: 200_000)
        let response = try await CurlTransport().send(
            HTTPExchange(HTTPRequest("PUT", server.url + "/a.jpg"), body: file.body()))
        #expect(response.status == 201)
        #expect(response[header: "x-reply"] == "yes")
        #expect(String(decoding: response.body, as: UTF8.self) == "stored")
        let seen = try #require(server.seen.first)
        #expect(seen.method == "PUT" && seen.target == "/a.jpg")
        #expect(seen.body == file.bytes)
        #expect(seen[header: "Content-Length"] == "200000")
        #expect(seen[header: "Expect"] == nil && seen[header: "Transfer-Encoding"] == nil)
    }

    @Test(arguments: ["PUT", "POST"]) func sendsAnEmptyFileAsLengthZero(_ method: String) async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let file = try ScratchFile(count: 0)
        _ = try await CurlTransport().send(HTTPExchange(HTTPRequest(method, server.url), body: file.body()))
        #expect(server.seen.first?[header: "Content-Length"] == "0")
        #expect(server.seen.first?.method == method)
    }

    @Test func keepsItsConnectionForTheNextRequest() async throws {
        let server = try FaultServer { _, _ in .answer(200, body: "ok") }
        defer { server.stop() }
        let transport = CurlTransport()
        for method in ["GET", "HEAD", "PUT", "DELETE", "GET"] {
            let body = method == "PUT" ? HTTPBody.bytes([1, 2, 3]) : nil
            let response = try await transport.send(HTTPExchange(HTTPRequest(method, server.url), body: body))
            #expect(response.status == 200)
        }
        #expect(server.seen.map(\.method) == ["GET", "HEAD", "PUT", "DELETE", "GET"])
        #expect(Set(server.seen.map(\.connection)) == [0])
    }

    @Test func sendsAFormWithItsExactLength() async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let file = try ScratchFile(count: 100_000)
        var form = Multipart()
        form.add("album", "Anna & Bo")
        form.add("file", file: file.slice, fileName: "a\"b\r\n.jpg", type: "image/jpeg")
        _ = try await CurlTransport().send(HTTPExchange(HTTPRequest("POST", server.url), body: form.body))
        let seen = try #require(server.seen.first)
        #expect(seen.received == seen.length && seen.length == Int(form.body.length))
        let text = String(decoding: seen.body, as: UTF8.self)
        #expect(text.contains("name=\"album\"\r\n\r\nAnna & Bo\r\n"))
        #expect(text.contains("filename=\"a%22b%0D%0A.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"))
        #expect(seen.body.firstRange(of: file.bytes) != nil)
        #expect(seen[header: "Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func theQuickDigestIsEnough() async throws {
        let server = try FaultServer { _, _ in .answer(201) }
        defer { server.stop() }
        let file = try ScratchFile(count: 700_000)
        // As xxhsum -H2 prints it; the other digest is not looked at then.
        let slice = FileSlice(
            path: file.path, size: 700_000, sha256: String(repeating: "a", count: 64),
            xxh128: "438b5dab7290878e4fec641c8e15ee31")
        let answer = try await CurlTransport().send(HTTPExchange(HTTPRequest("PUT", server.url), body: .file(slice)))
        #expect(answer.status == 201)
    }

    @Test(arguments: [nil, String(repeating: "a", count: 32)])
    func aFileThatChangedIsNeverSentInFull(quick: String?) async throws {
        let server = try FaultServer { _, _ in .answer(201) }
        defer { server.stop() }
        let file = try ScratchFile(count: 700_000)
        let wrong = FileSlice(path: file.path, size: 700_000, sha256: String(repeating: "a", count: 64), xxh128: quick)
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("PUT", server.url), body: .file(wrong)))
        }
        #expect(error?.code == .corruptData)
        #expect(server.seen.allSatisfy { $0.received < 700_000 })
    }

    @Test func aFileOfAnotherSizeIsNotSentAtAll() async throws {
        let server = try FaultServer { _, _ in .answer(201) }
        defer { server.stop() }
        let file = try ScratchFile(count: 1000)
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(
                HTTPExchange(HTTPRequest("PUT", server.url), body: .file(FileSlice(path: file.path, size: 1001))))
        }
        #expect(error?.code == .corruptData)
        #expect(server.seen.isEmpty)
    }

    @Test func sendsPartOfAFile() async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let file = try ScratchFile(count: 5000)
        let slice = FileSlice(path: file.path, offset: 1000, length: 2000, of: 5000)
        _ = try await CurlTransport().send(HTTPExchange(HTTPRequest("PUT", server.url), body: .file(slice)))
        #expect(server.seen.first?.body == Array(file.bytes[1000..<3000]))
    }

    @Test func keepsNoMoreOfAnAnswerThanAsked() async throws {
        let server = try FaultServer { _, _ in .answer(200, body: String(repeating: "x", count: 50_000)) }
        defer { server.stop() }
        var exchange = HTTPExchange(HTTPRequest("GET", server.url))
        exchange.reception = .collect(1000)
        let response = try await CurlTransport().send(exchange)
        #expect(response.status == 200 && response.truncated && response.body.count == 1000)
    }

    @Test func hashesAnAnswerWithoutKeepingIt() async throws {
        let server = try FaultServer { _, _ in .answer(200, body: "abc") }
        defer { server.stop() }
        var exchange = HTTPExchange(HTTPRequest("GET", server.url))
        exchange.reception = .digest(upTo: 3)
        let response = try await CurlTransport().send(exchange)
        #expect(response.digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(response.body.isEmpty && response.length == 3)
    }

    @Test func refusesAnAnswerWithEndlessHeaders() async throws {
        let server = try FaultServer { _, _ in .answer(200, headers: (0..<300).map { ("X-\($0)", "y") }) }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("GET", server.url)))
        }
        #expect(error?.code == .unavailable)
    }

    @Test(arguments: ["X\r\nInjected", "", "a b"]) func refusesHeadersThatAreNone(_ name: String) async throws {
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(
                HTTPExchange(HTTPRequest("GET", "http://127.0.0.1:9", headers: [(name, "x")])))
        }
        #expect(error?.code == .misconfigured)
    }

    @Test func noHeaderValueStartsAnother() async throws {
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(
                HTTPExchange(HTTPRequest("GET", "http://127.0.0.1:9", headers: [("X", "a\r\nB: c")])))
        }
        #expect(error?.code == .misconfigured)
    }

    @Test func limitsTheRateOfAllLanesTogether() async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        var options = TransportOptions()
        (options.lanes, options.bytesPerSecond) = (2, 400_000)
        let transport = CurlTransport(options), body = HTTPBody.bytes([UInt8](repeating: 7, count: 200_000))
        let url = server.url
        let clock = ContinuousClock(), start = clock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { _ = try? await transport.send(HTTPExchange(HTTPRequest("PUT", url), body: body)) }
            }
        }
        // 400 kB less the 100 kB that may go at once: never faster than three quarters of a second.
        #expect(clock.now - start > .milliseconds(700))
        #expect(server.seen.map(\.received) == [200_000, 200_000])
    }

    @Test func reportsProgress() async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let most = Box<UInt64>(0)
        var exchange = HTTPExchange(
            HTTPRequest("PUT", server.url), body: .bytes([UInt8](repeating: 7, count: 3_000_000)))
        exchange.progress = { bytes in most.value = max(most.value, bytes) }
        _ = try await CurlTransport().send(exchange)
        #expect(most.value == 3_000_000)
    }
}
