import FilmgateCore
import PTPKit
import Testing

/// Random and mutated bytes into every decoder: nothing may trap, hang, or take memory that the bytes do not pay for.
@Suite struct FuzzSmokeTests {
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    static let seeds: [[UInt8]] = [
        DatasetTests.device.encoded, ObjectInfo().encoded, StorageInfo().encoded,
        PropertyDescription(
            code: 0x5001, type: .uint8, access: 1, factory: .unsigned(1), current: .unsigned(1),
            form: .choice([.unsigned(3)])
        ).encoded,
        ObjectPropertyList([
            .init(handle: ObjectHandle(1), property: .objectFileName, type: .string, value: .text("A.JPG"))
        ]).encoded,
        BulkContainer.response(Response(.ok, transaction: 1, [1, 2])), BulkContainer.event(PTPEvent(.objectAdded, [1])),
        IPPacket.initCommandAck(connection: 1, guid: [UInt8](repeating: 1, count: 16), name: "camera"),
    ]

    private func decodeAll(_ bytes: [UInt8]) {
        let span = bytes.span.bytes
        _ = try? DeviceInfo(span)
        _ = try? ObjectInfo(span)
        _ = try? StorageInfo(span)
        _ = try? PropertyDescription(span)
        _ = try? ObjectPropertyList(span)
        _ = try? BulkHeader(span)
        _ = try? IPHead(span)
        _ = try? InitCommandAck(span)
        _ = try? Response(ip: span)
        _ = try? PTPEvent(ip: span)
        var cursor = ByteCursor()
        _ = try? cursor.string(from: span)
        _ = PTPDate.parse(String(decoding: bytes, as: UTF8.self))
        var assembler = InterruptAssembler()
        _ = assembler.take(bytes)
    }

    @Test(arguments: 1...8)
    func randomBytes(seed: Int) {
        var random = Random(state: UInt64(seed))
        for _ in 0..<2000 {
            let count = Int.random(in: 0...200, using: &random)
            decodeAll((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    @Test(arguments: 1...8)
    func mutatedDatasets(seed: Int) {
        var random = Random(state: UInt64(seed) &* 7919)
        for _ in 0..<3000 {
            var bytes = Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(index...)
                case 2: bytes.insert(0xFF, at: index)
                default: bytes.remove(at: index)
                }
            }
            decodeAll(bytes)
        }
    }

    @Test(arguments: 1...8)
    func mutatedPacketStreams(seed: Int) throws {
        var random = Random(state: UInt64(seed) &* 104_729)
        let good =
            IPPacket.startData(transaction: 1, total: 20) + IPPacket.dataHead(.endData, transaction: 1, count: 20)
            + [UInt8](repeating: 9, count: 20) + IPPacket.response(Response(.ok, transaction: 1)) + IPPacket.bare(.ping)
            + IPPacket.event(PTPEvent(.objectAdded, [1]))
        for _ in 0..<300 {
            var bytes = good + good
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let (link, _) = try PTPIPLink.scripted(bytes, piece: Int.random(in: 1...64, using: &random))
            var machine = Transaction(id: 1, operation: .getObject, expectsData: true)
            for _ in 0..<200 {
                guard let inbound = try? link.next(by: .after(.seconds(1))) else { break }
                guard let step = try? machine.take(inbound) else { break }
                if case .deliver = step { _ = try? link.payload { bytes throws(PTPError) in bytes.byteCount } }
                if case .finished = step { break }
            }
            link.close()
        }
    }
}
