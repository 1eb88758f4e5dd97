import PTPKit
import Synchronization
import Testing

@testable import FujifilmCamera

/// The dialect's one connection, fed with what no body should send: nothing may trap, hang, or be taken for more than
/// it is.
@Suite struct FujiWireTests {
    /// Plays bytes in pieces and then ends.
    private final class Played: ByteStream {
        private let left: Mutex<ArraySlice<UInt8>>
        private let piece: Int

        init(_ bytes: [UInt8], piece: Int) {
            left = Mutex(bytes[...])
            self.piece = piece
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
            left.withLock { left in
                let part = left.prefix(min(piece, buffer.count))
                buffer.copyBytes(from: part)
                left = left.dropFirst(part.count)
                return part.count
            }
        }
        func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {}
        func stop() {}
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let answer =
        BulkContainer.data(.getObject, transaction: 1, [UInt8](0..<200))
        + BulkContainer.response(Response(.ok, transaction: 1))

    /// Follows one transaction; the bytes that were delivered, or nil where it failed.
    private func follow(_ bytes: [UInt8], piece: Int) -> Int? {
        let link = FujiLink("test", model: "X-T4", stream: Played(bytes, piece: piece))
        defer { link.close() }
        var machine = Transaction(id: 1, operation: .getObject, expectsData: true)
        var delivered = 0
        for _ in 0..<2000 {
            guard let inbound = try? link.next(by: .after(.seconds(5))), let step = try? machine.take(inbound) else {
                return nil
            }
            if case .deliver = step {
                delivered += (try? link.payload { part throws(PTPError) in part.byteCount }) ?? 0
            }
            if case .finished = step {
                #expect(UInt64(delivered) == machine.received)
                return delivered
            }
        }
        return nil
    }

    @Test(arguments: [1, 3, 8, 64, 4096])
    func answersComeWholeInPiecesOfAnySize(piece: Int) { #expect(follow(Self.answer, piece: piece) == 200) }

    @Test func answersCutAnywhereFail() {
        for length in 0..<Self.answer.count { #expect(follow(Array(Self.answer[..<length]), piece: 64) == nil) }
    }

    @Test(arguments: 1...8)
    func changedAnswersAreNeverMoreThanTheyHold(seed: Int) {
        var random = Random(state: UInt64(seed))
        for _ in 0..<2000 {
            var bytes = Self.answer
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let delivered = follow(bytes, piece: 1 + seed * 7) { #expect(delivered <= bytes.count) }
        }
    }

    @Test(arguments: 1...4)
    func changedGreetingsAreReadWithoutHarm(seed: Int) {
        var random = Random(state: UInt64(seed) &* 77)
        let identity = InitiatorIdentity(guid: [1], name: "test")
        let whole = FujiHandshake.answer(model: "X-T4", guid: [UInt8](repeating: 1, count: 16))
        for _ in 0..<2000 {
            var bytes = whole
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            bytes.removeLast(Int.random(in: 0...bytes.count / 2, using: &random))
            let name = try? FujiHandshake.exchange(Played(bytes, piece: 1 + seed), identity, by: .after(.seconds(5)))
            #expect((name ?? "").utf16.count <= 64)
        }
    }
}
