import PTPKit
import Testing

/// What a camera can send wrongly on its command connection (malformed cases: framing).
@Suite struct IPFramingTests {
    private let soon = Deadline.after(.seconds(2))
    private let ok = IPPacket.response(Response(.ok, transaction: 1, [7]))

    private func first(_ packets: [UInt8]..., piece: Int = .max) throws -> Inbound {
        try PTPIPLink.scripted(packets.flatMap { $0 }, piece: piece).0.next(by: soon)
    }

    @Test(arguments: [0, 4, 7, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
    func impossibleLengths(length: UInt32) {
        #expect(throws: PTPError.self) { try first(packet(7, [1, 0x20, 1, 0, 0, 0], length: length)) }
    }

    @Test func aLengthThatCannotBeEndsTheConnection() throws {
        let (link, _) = try PTPIPLink.scripted(packet(7, [], length: 7), ok)
        #expect(throws: PTPError.self) { try link.next(by: soon) }
        do throws(PTPError) {
            _ = try link.next(by: soon)
            Issue.record("went on")
        } catch { #expect(error.endsConnection) }
    }

    @Test func responsesInSingleBytes() throws {
        #expect(try first(ok, piece: 1) == .response(Response(.ok, transaction: 1, [7])))
    }

    @Test func aResponseWithTooManyParametersIsCutOrRefused() throws {
        let six = IPPacket.response(Response(.ok, transaction: 1, [1, 2, 3, 4, 5, 6]))
        #expect(try first(six) == .response(Response(.ok, transaction: 1, [1, 2, 3, 4, 5])))
        let nine = IPPacket.response(Response(.ok, transaction: 1, [UInt32](repeating: 1, count: 9)))
        #expect(throws: PTPError.self) { try first(nine) }
    }

    @Test func packetsOfUnknownTypesAreSkipped() throws {
        #expect(try first(packet(0xFFFF, [1, 2, 3, 4]), ok) == .response(Response(.ok, transaction: 1, [7])))
    }

    @Test func endlessJunkIsNotReadForever() {
        let junk = [UInt8]([[UInt8]](repeating: packet(0xFFFF, []), count: 400).joined())
        #expect(throws: PTPError.self) { try first(junk, ok) }
    }

    @Test func pingsOnTheCommandConnectionAreAnswered() throws {
        let (link, script) = try PTPIPLink.scripted(IPPacket.bare(.ping), ok)
        #expect(try link.next(by: soon) == .response(Response(.ok, transaction: 1, [7])))
        #expect(script.written == IPPacket.bare(.pong))
    }

    @Test func eventsOnTheCommandConnectionAreKept() throws {
        let event = PTPEvent(.objectAdded, transaction: 0, [3])
        let (link, _) = try PTPIPLink.scripted(IPPacket.event(event), ok)
        _ = try link.next(by: soon)
        #expect(link.eventQueue.take().events == [event])
    }

    @Test func anEventWithFourParametersIsKept() throws {
        let event = PTPEvent(0xC203, transaction: 9, [1, 2, 3, 4])
        let (link, _) = try PTPIPLink.scripted(IPPacket.event(event), ok)
        _ = try link.next(by: soon)
        #expect(link.eventQueue.take().events == [event])
    }

    @Test func dataComesInParts() throws {
        let data = [UInt8](0..<100)
        let head = IPPacket.startData(transaction: 1, total: 100)
        let body =
            IPPacket.dataHead(.data, transaction: 1, count: 60) + data[..<60]
            + IPPacket.dataHead(.endData, transaction: 1, count: 40)
            + data[60...]
        for piece in [1, 7, 64, 1000] {
            let (link, _) = try PTPIPLink.scripted(head, body, ok, piece: piece)
            #expect(try link.next(by: soon) == .dataBegins(transaction: 1, code: nil, total: 100))
            var received: [UInt8] = []
            while case .data(transaction: 1, let count) = try link.next(by: soon) {
                try link.payload { bytes throws(PTPError) in received += bytes.copied }
                #expect(count > 0)
            }
            #expect(received == data)
            #expect(try link.next(by: soon) == .response(Response(.ok, transaction: 1, [7])))
        }
    }

    @Test func anEmptyDataPhase() throws {
        let (link, _) = try PTPIPLink.scripted(
            IPPacket.startData(transaction: 1, total: 0), IPPacket.dataHead(.endData, transaction: 1, count: 0), ok)
        #expect(try link.next(by: soon) == .dataBegins(transaction: 1, code: nil, total: 0))
        #expect(try link.next(by: soon) == .dataEnds(transaction: 1))
        #expect(try link.next(by: soon) == .response(Response(.ok, transaction: 1, [7])))
    }

    @Test func totalsBeyondThirtyTwoBitsAndUnknownOnes() throws {
        #expect(
            try first(IPPacket.startData(transaction: 1, total: 6 << 30))
                == .dataBegins(transaction: 1, code: nil, total: 6 << 30))
        #expect(
            try first(IPPacket.startData(transaction: 1, total: .max))
                == .dataBegins(transaction: 1, code: nil, total: nil))
    }

    @Test func aTimeoutKeepsTheStreamInStep() throws {
        let half = Array(ok.prefix(9))
        let script = Script(half, closes: false)
        let ack = try InitCommandAck([UInt8](repeating: 0, count: 20).span.bytes)
        let link = PTPIPLink("script", greeting: ack, command: script, events: Script([]))
        #expect(throws: PTPError.self) { try link.next(by: soon) }
        script.feed(Array(ok.dropFirst(9)))
        #expect(try link.next(by: soon) == .response(Response(.ok, transaction: 1, [7])))
    }

    @Test func theConnectionEndingInAPacketIsGone() throws {
        let (link, _) = try PTPIPLink.scripted(Array(ok.prefix(10)))
        do throws(PTPError) {
            _ = try link.next(by: soon)
            Issue.record("answered")
        } catch {
            guard case .gone = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
