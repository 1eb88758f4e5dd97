import CameraTesting
import Glibc
import PTPKit
import Synchronization
import Testing
import VirtualCamera

/// Packets in any number, length and order: none of it may end the process, and none of it holds a reader longer than
/// it wanted to wait.
@Suite(.timeLimit(.minutes(2))) struct PacketFloodTests {
    private let soon = Deadline.after(.seconds(20))

    private func many(_ packet: [UInt8], _ count: Int) -> [UInt8] {
        var bytes = packet
        while bytes.count < packet.count * count { bytes += bytes }
        return bytes
    }

    /// Each of these packets is read inside the wait for one answer, so their number must not be the depth of the
    /// stack.
    @Test(arguments: [
        IPPacket.dataHead(.data, transaction: 1, count: 0), IPPacket.dataHead(.endData, transaction: 1, count: 0),
        IPPacket.bare(.ping), IPPacket.event(PTPEvent(.objectAdded, [1])), IPPacket.startData(transaction: 0, total: 0),
        IPPacket.cancel(transaction: 1),
        IPPacket.response(Response(.ok, transaction: 0)),
    ])
    func aFloodOfOnePacketEndsTheConnectionAndNothingElse(packet: [UInt8]) async throws {
        let start = IPPacket.startData(transaction: 1, total: 100)
        let (link, _) = try PTPIPLink.scripted(start, many(packet, 100_000))
        var machine = Transaction(id: 1, operation: .getObject, expectsData: true), taken = 0
        #expect(throws: PTPError.self) {
            while taken < 200_000 {
                if case .finished = try machine.take(try link.next(by: soon)) { return }
                taken += 1
            }
        }
        #expect(taken < 1000)
        await LinkExercise.network(many(packet, 100_000))
    }

    @Test func emptyPiecesOfDataAreToleratedAmongOthers() throws {
        let empty = IPPacket.dataHead(.data, transaction: 1, count: 0)
        let (link, _) = try PTPIPLink.scripted(
            IPPacket.startData(transaction: 1, total: 2),
            empty + empty + IPPacket.dataHead(.data, transaction: 1, count: 1) + [7],
            empty + IPPacket.dataHead(.endData, transaction: 1, count: 1) + [8],
            IPPacket.response(Response(.ok, transaction: 1)))
        var seen: [Inbound] = []
        for _ in 0..<5 { seen.append(try link.next(by: soon)) }
        #expect(seen[1] == .data(transaction: 1, count: 1) && seen[2] == .data(transaction: 1, count: 1))
        #expect(seen[3] == .dataEnds(transaction: 1) && seen[4] == .response(Response(.ok, transaction: 1)))
    }

    /// What was sent can always be read at once, so no read ever sees the deadline.
    @Test func packetsThatMeanNothingDoNotPutOffTheDeadline() throws {
        let (stream, events) = (SlowStream(packet(0xFFFF, [])), Script([]))
        let link = PTPIPLink(
            "slow", greeting: try InitCommandAck([UInt8](repeating: 0, count: 20).span.bytes), command: stream,
            events: events)
        do throws(PTPError) {
            _ = try link.next(by: .after(.milliseconds(50)))
            Issue.record("answered")
        } catch {
            if case .timedOut = error {} else { Issue.record("\(error)") }
        }
        #expect(stream.reads < 64)
    }

    @Test func aFloodFromACameraCostsItsConnection() async throws {
        let rig = try await Rig(faults: Fault(.flood(100_000), on: .getObject))
        try await rig.camera.open()
        let error = await rig.failure { _ = try await rig.object() }
        if case .malformed = error {} else { Issue.record("\(String(describing: error))") }
        #expect(await rig.camera.failure != nil)
    }

    @Test func aFloodFromADeviceCostsItsConnection() async throws {
        var card = VirtualCard()
        let handle = card.add(VirtualFile("A.JPG", .pattern(seed: 1, size: 3000))).object.handle
        let body = VirtualCamera(StandardPersonality(), cards: [card], faults: [Fault(.flood(20_000), on: .getObject)])
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(body)))
        try await camera.open()
        await #expect(throws: PTPError.self) {
            try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
        }
        await camera.close()
    }

    @Test(arguments: 0..<8)
    func everyOrderOfPackets(group: UInt64) async {
        for seed in 0..<40 {
            let choices = PacketScript.choices(group * 40 + UInt64(seed))
            await LinkExercise.network(PacketScript.stream(choices), piece: seed % 3 == 0 ? 1 + seed * 7 : .max)
            await LinkExercise.bus(PacketScript.transfers(choices))
        }
    }
}

/// Brings the same packet for ever, one every few milliseconds.
private final class SlowStream: ByteStream {
    private let packet: [UInt8]
    private let count = Atomic(0)
    init(_ packet: [UInt8]) { self.packet = packet }
    var reads: Int { count.load(ordering: .relaxed) }
    func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
        usleep(5000)
        count.add(1, ordering: .relaxed)
        buffer.copyBytes(from: packet)
        return packet.count
    }
    func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {}
    func stop() {}
}
