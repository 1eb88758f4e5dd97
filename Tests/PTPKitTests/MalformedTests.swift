import FilmgateCore
import Glibc
import PTPKit
import Synchronization
import Testing
import VirtualCamera

/// Malformed cases of framing and handshake that need a script of their own (6, 7), and what our own side does wrong
/// (23).
@Suite(.timeLimit(.minutes(5))) struct MalformedTests {
    private let start = Inbound.dataBegins(transaction: 5, code: nil, total: 10)

    @Test func dataBehindItsEndIsAViolation() throws {
        var machine = Transaction(id: 5, operation: .getObject, expectsData: true)
        for inbound in [start, .data(transaction: 5, count: 10), .dataEnds(transaction: 5)] {
            _ = try machine.take(inbound)
        }
        #expect(throws: PTPError.self) { try machine.take(.data(transaction: 5, count: 1)) }
        #expect(throws: PTPError.self) { try machine.take(.dataEnds(transaction: 5)) }
    }

    @Test func dataOfTwoTransactionsInOnePhaseIsAViolation() throws {
        var machine = Transaction(id: 5, operation: .getObject, expectsData: true)
        _ = try machine.take(start)
        _ = try machine.take(.data(transaction: 5, count: 4))
        #expect(throws: PTPError.self) { try machine.take(.data(transaction: 4, count: 6)) }
    }

    @Test func aSecondDataPhaseIsAViolation() throws {
        var machine = Transaction(id: 5, operation: .getObject, expectsData: true)
        for inbound in [start, .data(transaction: 5, count: 10), .dataEnds(transaction: 5)] {
            _ = try machine.take(inbound)
        }
        #expect(throws: PTPError.self) { try machine.take(start) }
    }

    @Test func anEventPortThatOpensLateIsTriedAgain() async throws {
        let free = try TCPListener()
        let port = free.port
        free.stop()
        let responder = try PTPIPResponder(VirtualCamera(StandardPersonality()))
        defer { responder.stop() }
        let late = Mutex<TCPListener?>(nil)
        BlockingThread.run {
            usleep(250_000)
            let listener = try? TCPListener(port: port)
            listener?.start { socket in
                try? socket.write(IPPacket.bare(.initEventAck), by: .after(.seconds(2)))
                var buffer = StreamBuffer(capacity: 64)
                while (try? buffer.fill(1, from: socket, by: .after(.seconds(5)))) != nil { buffer.drop(1) }
            }
            late.withLock { $0 = listener }
        }
        let transport = PTPIPConnector(
            host: "127.0.0.1", port: responder.port, eventPort: port, identity: .init(guid: [1], name: "test"))
        let link = try transport.open()
        link.close()
        late.withLock { $0?.stop() }
    }

    @Test func anEventConnectionThatClosesAloneEndsTheSession() async throws {
        let rig = try await Rig()
        try await rig.camera.open()
        rig.body.send(PTPEvent(.objectAdded, [1]))
        rig.responder.breakConnections()
        await rig.camera.eventQueue.wait(upTo: .seconds(10))
        while await rig.camera.failure == nil { try await Task.sleep(for: .milliseconds(5)) }
        let error = await rig.failure { _ = try await rig.object() }
        guard case .gone = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aPingOnTheEventConnectionIsAnsweredAndEventsGoOn() async throws {
        let rig = try await Rig()
        try await rig.camera.open()
        rig.responder.ping()
        rig.body.send(PTPEvent(.objectAdded, [7]))
        await rig.camera.eventQueue.wait(upTo: .seconds(10))
        #expect(rig.camera.eventQueue.take().events.map(\.parameters) == [[7]])
        #expect(try await rig.object().count == 100_000)
    }

    /// Full, read-only, taken, forbidden: whatever our own side has against the bytes, the camera is left in step (case
    /// 23).
    @Test(arguments: [IngestError.Code.storageFull, .rejected, .accessDenied, .unavailable, .cancelled])
    func aDestinationThatRefusesLeavesTheCameraInStep(code: IngestError.Code) async throws {
        struct Refusing: ByteSink {
            let code: IngestError.Code
            func write(_ bytes: RawSpan) throws(IngestError) { throw IngestError(code, "No.") }
        }
        let rig = try await Rig(size: 3 << 20)
        try await rig.camera.open()
        let object = CameraObject(
            handle: rig.handle, storage: StorageID(0x10001), folders: [], name: "A", size: 3 << 20, time: nil)
        for partial in [true, false] {
            let error = await rig.failure {
                try await rig.camera.run { camera throws(PTPError) in
                    if partial {
                        try StandardFetch.fetch(object, 0..<3 << 20, camera, into: Refusing(code: code))
                    } else {
                        try StandardFetch.whole(object, from: 0, camera, into: Refusing(code: code))
                    }
                }
            }
            guard case .sink(let inner) = error else { throw Unexpected(String(describing: error)) }
            #expect(inner.code == code)
            #expect(try await rig.object().count == 3 << 20)
        }
    }

    private struct Unexpected: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }
}
