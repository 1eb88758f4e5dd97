import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

/// The greeting of PTP/IP, and what bodies make of it.
@Suite struct HandshakeTests {
    private let identity = InitiatorIdentity(guid: [UInt8](1...16), name: "filmgate on box")
    private let soon = Deadline.after(.seconds(2))

    private func greet(_ answer: [UInt8]) throws(PTPError) -> InitCommandAck {
        try PTPIPConnector.greet(Script(answer), identity, by: soon)
    }

    @Test func theRequestIsAsTheStandardSays() throws {
        let script = Script(IPPacket.initCommandAck(connection: 9, guid: [UInt8](repeating: 2, count: 16), name: "EOS"))
        let ack = try PTPIPConnector.greet(script, identity, by: soon)
        #expect(ack.connection == 9)
        #expect(ack.name == "EOS")
        let sent = script.written
        #expect(sent.count == 8 + 16 + 2 * (identity.name.utf16.count + 1) + 4)
        #expect(Array(sent[8..<24]) == identity.guid)
        #expect(sent.suffix(6) == [0, 0, 0, 0, 1, 0])
    }

    @Test func namesLongerThanBodiesTakeAreCut() {
        let long = InitiatorIdentity(guid: [], name: String(repeating: "n", count: 100))
        #expect(IPPacket.initCommandRequest(long).count == 8 + 16 + 2 * 40 + 4)
    }

    @Test func anAckWithoutNameOrVersion() throws {
        let ack = try greet(packet(2, [9, 0, 0, 0] + [UInt8](repeating: 3, count: 16)))
        #expect(ack.connection == 9)
        #expect(ack.name.isEmpty)
    }

    @Test func aNameWithoutNulEndsWithItsPacket() throws {
        #expect(
            try greet(packet(2, [9, 0, 0, 0] + [UInt8](repeating: 3, count: 16) + [0x41, 0, 0x42, 0, 0x43])).name
                == "AB")
    }

    @Test func aNameThatDoesNotFitAnyPacketIsRefused() {
        let name = [UInt8](repeating: 0x41, count: 8192)
        #expect(throws: PTPError.self) { try greet(packet(2, [9, 0, 0, 0] + [UInt8](repeating: 3, count: 16) + name)) }
    }

    @Test(
        arguments: [([1, 0, 0, 0], true), ([2, 0, 0, 0], false), ([3, 0, 0, 0], true), ([], true), ([1, 0], true)]
            as [([UInt8], Bool)])
    func refusalsSayWhy(body: [UInt8], denied: Bool) {
        do throws(PTPError) {
            _ = try greet(packet(5, body))
            Issue.record("was let in")
        } catch {
            switch error {
            case .denied: #expect(denied)
            case .busy: #expect(!denied)
            default: Issue.record("\(error)")
            }
        }
    }

    @Test func silenceIsATimeOut() {
        do throws(PTPError) {
            _ = try PTPIPConnector.greet(Script([], closes: false), identity, by: soon)
            Issue.record("answered")
        } catch {
            guard case .timedOut = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func aSecondAckBeforeTheEventAckIsSkipped() throws {
        let ack = IPPacket.initCommandAck(connection: 9, guid: [UInt8](repeating: 2, count: 16), name: "")
        try PTPIPConnector.join(Script(ack + IPPacket.bare(.initEventAck)), 9, by: soon)
    }

    private func connector(_ port: UInt16, patience: Duration) -> PTPIPCameraConnector {
        var connector = PTPIPCameraConnector(PTPIPConnector(host: "127.0.0.1", port: port, identity: identity))
        connector.patience = patience
        return connector
    }

    /// What a body does for a moment after another visitor.
    @Test func aBodyThatHangsUpIsAskedAgain() throws {
        let responder = try PTPIPResponder(VirtualCamera(StandardPersonality()))
        defer { responder.stop() }
        responder.hangUpNext(1)
        #expect(throws: PTPError.self) { _ = try connector(responder.port, patience: .zero).open() }
        responder.hangUpNext(3)
        let link = try connector(responder.port, patience: .seconds(30)).open()
        link.close()
    }

    @Test func aPortThatOpensAMomentLaterIsFound() async throws {
        let port = try TCPListener().port
        do throws(PTPError) {
            _ = try connector(port, patience: .zero).open()
            Issue.record("somebody answered")
        } catch {
            if case .absent(let place, .refused) = error {
                #expect(place == "127.0.0.1:\(port)")
            } else {
                Issue.record("\(error)")
            }
        }
        let late = Task {
            try await Task.sleep(for: .milliseconds(300))
            return try PTPIPResponder(VirtualCamera(StandardPersonality()), port: port)
        }
        let link = try connector(port, patience: .seconds(30)).open()
        link.close()
        try await late.value.stop()
    }

    @Test func aHostThatNobodyKnowsIsToldAtOnce() {
        var connector = connector(1, patience: .seconds(30))
        connector.transport.host = "no-such-host.invalid"
        do throws(PTPError) {
            _ = try connector.open()
            Issue.record("somebody answered")
        } catch {
            if case .absent(_, .unknownHost) = error {} else { Issue.record("\(error)") }
            let told = IngestError(error, camera: connector.address)
            #expect(told.message == "No camera answers at no-such-host.invalid: no host of this name is known.")
        }
    }
}
