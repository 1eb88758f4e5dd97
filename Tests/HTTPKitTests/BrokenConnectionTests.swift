import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct BrokenConnectionTests {
    @Test(arguments: [0, 1, 100_000, Int.max]) func aResetIsANetworkFailure(_ bytes: Int) async throws {
        let server = try FaultServer { _, _ in .reset(afterBody: bytes) }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(
                HTTPExchange(HTTPRequest("PUT", server.url), body: .bytes([UInt8](repeating: 1, count: 300_000))))
        }
        #expect(error?.code == .network)
        #expect(server.seen.count == 1)
    }

    /// libcurl repeats a request by itself when a kept connection dies without an answer: with a whole body at the
    /// server that would be a second asset.
    @Test(arguments: [0, 5, 200_000]) func aRequestThatTheServerMayHaveIsNotRepeatedUnasked(_ size: Int) async throws {
        let server = try FaultServer { seen, _ in seen.method == "GET" ? .answer(200, body: "warm") : .hangUpAfterBody }
        defer { server.stop() }
        let transport = CurlTransport()
        _ = try await transport.send(HTTPExchange(HTTPRequest("GET", server.url)))
        let error = await failure { () async throws(IngestError) in
            try await transport.send(
                HTTPExchange(HTTPRequest("POST", server.url), body: .bytes([UInt8](repeating: 1, count: size))))
        }
        #expect(error?.code == .network)
        #expect(server.seen.count { $0.method == "POST" } == 1)
    }

    /// The server closes a kept connection at the very moment of the next request: that it cannot have, so it is sent
    /// anew.
    @Test func aConnectionThatWasJustEndingIsReplaced() async throws {
        let server = try FaultServer { seen, number in
            seen.method == "GET" ? .answer(200) : number == 1 ? .reset(afterBody: 100_000) : .answer(201)
        }
        defer { server.stop() }
        let transport = CurlTransport(), bytes = [UInt8](repeating: 7, count: 30_000_000)
        _ = try await transport.send(HTTPExchange(HTTPRequest("GET", server.url)))
        let response = try await transport.send(HTTPExchange(HTTPRequest("POST", server.url), body: .bytes(bytes)))
        #expect(response.status == 201 && response.wasRepeated)
        #expect(server.seen.map(\.received) == [0, 100_000, 30_000_000])
        #expect(server.seen.last?.body == Array(bytes[..<(1 << 20)]))
    }

    /// The process stood still in the middle of it, and another station may have sent the file meanwhile.
    @Test(arguments: [false, true]) func whatBrokeLongAfterItsBeginningIsNotSentAgain(_ isClaimed: Bool) async throws {
        let right = SendRight(until: ContinuousClock.now + .seconds(600))
        let server = try FaultServer { seen, number in
            if seen.method == "GET" { return .answer(200) }
            if isClaimed { right.set(until: nil) }
            return number == 1 ? .reset(afterBody: 100_000) : .answer(201)
        }
        defer { server.stop() }
        var options = TransportOptions()
        if !isClaimed { options.race = .zero }
        let transport = CurlTransport(options), body = HTTPBody.bytes([UInt8](repeating: 1, count: 30_000_000))
        let url = server.url
        _ = try await transport.send(HTTPExchange(HTTPRequest("GET", url)))
        let error = await SendRight.$current.withValue(right) {
            await failure { () async throws(IngestError) in
                try await transport.send(HTTPExchange(HTTPRequest("POST", url), body: body))
            }
        }
        #expect(error?.code == .network && server.seen.count { $0.method == "POST" } == 1)
    }

    /// Another station has sent it while this one stood still in the middle of it.
    @Test func whatAnotherStationHasIsBrokenOff() async throws {
        let server = try FaultServer { _, _ in .deaf }
        defer { server.stop() }
        let url = server.url, right = SendRight(until: ContinuousClock.now + .seconds(600))
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 20_000_000))
        let sending = Task {
            await SendRight.$current.withValue(right) {
                await failure { () async throws(IngestError) in
                    try await CurlTransport().send(HTTPExchange(HTTPRequest("POST", url), body: body))
                }
            }
        }
        await server.arrival(of: 1)
        // That it may have lost it breaks nothing off.
        right.set(until: nil)
        try await Task.sleep(for: .milliseconds(1500))
        #expect(!right.isLost)
        right.lose()
        #expect(await sending.value?.cause is SendRightLost)
    }

    /// Before the first byte; the other pieces of an upload that is under way are let go.
    @Test func whatMayNotBeBegunIsNotSent() async throws {
        let server = try FaultServer { _, _ in .answer(201) }
        defer { server.stop() }
        let transport = CurlTransport(), right = SendRight(until: ContinuousClock.now + .seconds(600)), url = server.url
        let exchange = HTTPExchange(HTTPRequest("POST", url), body: .bytes([1, 2, 3]))
        let error = try await SendRight.$current.withValue(right) {
            _ = try await transport.send(exchange)
            right.set(until: ContinuousClock.now - .seconds(1))
            _ = try await transport.send(exchange)
            return await failure { () async throws(IngestError) in
                try right.check()
                return try await transport.send(exchange)
            }
        }
        #expect(error?.cause is SendRightLost && server.seen.count == 2)
        let late = await SendRight.$current.withValue(SendRight(until: nil)) {
            await failure { () async throws(IngestError) in try await transport.send(exchange) }
        }
        #expect(late?.cause is SendRightLost && server.seen.count == 2)
        // Questions have no body, and are answered.
        let answer = try await SendRight.$current.withValue(SendRight(until: nil)) {
            try await transport.send(HTTPExchange(HTTPRequest("GET", url)))
        }
        #expect(answer.status == 201)
    }

    @Test func aFreshConnectionThatBreaksIsNotTriedAgain() async throws {
        let server = try FaultServer { _, _ in .reset(afterBody: 100_000) }
        defer { server.stop() }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 30_000_000)), url = server.url
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("POST", url), body: body))
        }
        #expect(error?.code == .network && server.seen.count == 1)
    }

    @Test func anAnswerCutShortIsNoAnswer() async throws {
        let server = try FaultServer { _, _ in
            .raw(Array("HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{\"id\":".utf8))
        }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("PUT", server.url), body: .bytes([1])))
        }
        #expect(error?.code == .network)
    }

    @Test func aServerThatTalksNonsenseIsUnavailable() async throws {
        let server = try FaultServer { _, _ in .raw(Array("220 smtp.example ESMTP\r\n".utf8)) }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("PUT", server.url), body: .bytes([1])))
        }
        #expect(error.map { [.unavailable, .network].contains($0.code) } == true)
    }

    @Test func anEarlyRefusalCountsAlthoughTheBodyBroke() async throws {
        let server = try FaultServer { _, _ in .refuseUnread(413) }
        defer { server.stop() }
        let response = try? await CurlTransport().send(
            HTTPExchange(HTTPRequest("PUT", server.url), body: .bytes([UInt8](repeating: 1, count: 30_000_000))))
        // The reset may overtake the answer; when an answer arrives it is the refusal.
        if let response { #expect(response.status == 413) }
    }

    /// A yes to a file that is still on its way: libcurl stops sending and calls it a success.
    @Test(arguments: [200, 201, 204]) func aYesBeforeTheWholeFileIsNone(_ status: Int) async throws {
        let server = try FaultServer { _, _ in .answerUnread(status) }
        defer { server.stop() }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 60_000_000)), url = server.url
        let error = await failure { () async throws(IngestError) in
            try await HTTPClient(CurlTransport()).send(HTTPExchange(HTTPRequest("PUT", url), body: body))
        }
        #expect(error?.code == .network, "\(String(describing: error))")
    }

    @Test func aNoBeforeTheWholeFileCounts() async throws {
        let server = try FaultServer { _, _ in .answerUnread(412) }
        defer { server.stop() }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 60_000_000)), url = server.url
        let response = try await HTTPClient(CurlTransport()).send(HTTPExchange(HTTPRequest("PUT", url), body: body))
        #expect(response.status == 412 && response.isEarly)
    }

    @Test func nobodyListens() async throws {
        let error = await failure { () async throws(IngestError) in
            try await CurlTransport().send(HTTPExchange(HTTPRequest("GET", "http://127.0.0.1:1/")))
        }
        #expect(error?.code == .network)
    }

    @Test(arguments: [FaultAct.silence, .deaf]) func aSilentServerIsGivenUp(_ act: FaultAct) async throws {
        let server = try FaultServer { _, _ in act }
        defer { server.stop() }
        var options = TransportOptions()
        (options.stall, options.answer) = (.milliseconds(300), .milliseconds(300))
        let transport = CurlTransport(options)
        let error = await failure { () async throws(IngestError) in
            try await transport.send(
                HTTPExchange(HTTPRequest("PUT", server.url), body: .bytes([UInt8](repeating: 1, count: 20_000_000))))
        }
        #expect(error?.code == .network)
    }

    @Test(arguments: [FaultAct.silence, .deaf]) func cancellingEndsATransfer(_ act: FaultAct) async throws {
        let server = try FaultServer { _, _ in act }
        defer { server.stop() }
        let url = server.url
        let task = Task {
            await failure { () async throws(IngestError) in
                try await CurlTransport().send(
                    HTTPExchange(HTTPRequest("PUT", url), body: .bytes([UInt8](repeating: 1, count: 20_000_000))))
            }
        }
        await server.arrival(of: 1)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test func waitingForALaneCanBeCancelled() async throws {
        let server = try FaultServer { _, _ in .silence }
        defer { server.stop() }
        var options = TransportOptions()
        options.lanes = 1
        let transport = CurlTransport(options), url = server.url
        let first = Task {
            await failure { () async throws(IngestError) in
                try await transport.send(HTTPExchange(HTTPRequest("GET", url)))
            }
        }
        await server.arrival(of: 1)
        let second = Task {
            await failure { () async throws(IngestError) in
                try await transport.send(HTTPExchange(HTTPRequest("GET", url)))
            }
        }
        second.cancel()
        #expect(await second.value?.code == .cancelled)
        first.cancel()
        #expect(await first.value?.code == .cancelled)
        #expect(server.seen.count == 1)
    }
}
