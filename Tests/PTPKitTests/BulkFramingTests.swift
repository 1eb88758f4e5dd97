import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

/// Containers in USB transfers, and what bodies do differently on the bus.
@Suite struct BulkFramingTests {
    private let soon = Deadline.after(.seconds(2))

    private func next(_ transfers: [UInt8]...) throws(PTPError) -> [Inbound] {
        let link = BulkLink(Transfers(transfers))
        var all: [Inbound] = []
        do throws(PTPError) { while true { all.append(try link.next(by: soon)) } } catch {
            if case .timedOut = error { return all }
            throw error
        }
    }

    private func container(_ length: UInt32, _ kind: UInt16, _ code: UInt16 = 0x2001, _ rest: [UInt8] = []) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(length)
        writer.put(kind)
        writer.put(code)
        writer.put(UInt32(1))
        writer.put(contentsOf: rest)
        return writer.bytes
    }

    @Test(arguments: [0, 4, 11, 13, 33, 36, 0xFFFF_FFFF] as [UInt32])
    func impossibleResponseLengths(length: UInt32) {
        #expect(throws: PTPError.self) { try next(container(length, 3, 0x2001, [UInt8](repeating: 0, count: 24))) }
    }

    @Test func parametersThatAreMissingAreTruncated() {
        #expect(throws: PTPError.self) { try next(container(16, 3)) }
    }

    @Test func anUnknownTypeAndACommandAreRefused() {
        #expect(throws: PTPError.self) { try next(container(12, 0)) }
        #expect(throws: PTPError.self) { try next(container(12, 1)) }
        #expect(throws: PTPError.self) { try next([1, 2, 3]) }
    }

    @Test func emptyTransfersAreSkippedTwice() throws {
        let response = container(12, 3)
        #expect(try next([], [], response).count == 1)
        #expect(throws: PTPError.self) { try next([], [], [], response) }
    }

    @Test func anEventInTheBulkPipeIsKept() throws {
        let link = BulkLink(Transfers([BulkContainer.event(PTPEvent(.objectAdded, [5])), container(12, 3)]))
        #expect(try link.next(by: soon) == .response(Response(.ok, transaction: 1)))
        #expect(link.eventQueue.take().events.first?.parameters == [5])
    }

    @Test(arguments: [0, 1, 499, 500, 501, 512, 1012, 70_000, 524_276, 524_288, 1_048_564, 2_000_000])
    func everySizeArrivesWhole(size: Int) async throws {
        let content = Content.pattern(seed: 3, size: UInt64(size))
        var busQuirks = VirtualBulkPipe.BusQuirks()
        for variant in 0..<6 {
            busQuirks = VirtualBulkPipe.BusQuirks()
            switch variant {
            case 1: busQuirks.splitsHeaders = true
            case 2: busQuirks.oddByte = true
            case 3: busQuirks.joinsResponse = true
            case 4: busQuirks.hidesLength = true
            case 5: busQuirks.packetSize = 64
            default: break
            }
            // Without a length the end of a full last packet cannot be told from an odd byte.
            var card = VirtualCard()
            let handle = card.add(VirtualFile("A.BIN", content)).object.handle
            let camera = PTPCamera(
                BulkLink(VirtualBulkPipe(VirtualCamera(StandardPersonality(), cards: [card]), busQuirks: busQuirks)))
            try await camera.open()
            let bytes = try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
            #expect(bytes == content.slice(at: 0, count: size), "variant \(variant)")
            await camera.close()
        }
    }

    @Test func aStallIsClearedAndTriedAgain() async throws {
        var busQuirks = VirtualBulkPipe.BusQuirks()
        busQuirks.stalls = 1
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(VirtualCamera(StandardPersonality()), busQuirks: busQuirks)))
        try await camera.open()
        #expect(await camera.info.model == "Standard Camera")
    }

    @Test func twoStallsInARowAreAFailure() async throws {
        var busQuirks = VirtualBulkPipe.BusQuirks()
        busQuirks.stalls = 2
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(VirtualCamera(StandardPersonality()), busQuirks: busQuirks)))
        await #expect(throws: PTPError.self) { try await camera.open() }
    }

    @Test func unpluggedInTheMiddleOfAnObject() async throws {
        var card = VirtualCard()
        let handle = card.add(VirtualFile("A.BIN", .pattern(seed: 1, size: 4 << 20))).object.handle
        let body = VirtualCamera(
            StandardPersonality(), cards: [card], faults: [Fault(.drop(after: 1 << 20), on: .getObject)])
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(body)))
        try await camera.open()
        await #expect(throws: PTPError.self) {
            try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
        }
    }

    @Test func aShortTransferIsALengthErrorAndTheNextRequestWorks() async throws {
        var card = VirtualCard()
        let handle = card.add(VirtualFile("A.BIN", .pattern(seed: 1, size: 10_000))).object.handle
        let body = VirtualCamera(StandardPersonality(), cards: [card], faults: [Fault(.short(by: 100), on: .getObject)])
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(body)))
        try await camera.open()
        await #expect(throws: PTPError.self) {
            try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
        }
        let bytes = try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
        #expect(bytes.count == 10_000)
    }

    @Test func aSessionLeftOpenIsClosedFirst() async throws {
        let body = VirtualCamera(StandardPersonality())
        body.withBody { $0.session = 77 }
        let camera = PTPCamera(BulkLink(VirtualBulkPipe(body)))
        try await camera.open()
        #expect(body.log.prefix(3).map(\.operation.code) == [.openSession, .closeSession, .openSession])
    }
}

/// Plays transfers.
private final class Transfers: BulkPipe {
    let address = "script", packetSize = 512
    let stop: @Sendable () -> Void = {}
    private var transfers: [[UInt8]]
    init(_ transfers: [[UInt8]]) { self.transfers = transfers }
    func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError) {}
    func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int {
        guard !transfers.isEmpty else { throw .timedOut }
        let next = transfers.removeFirst()
        buffer.copyBytes(from: next)
        return next.count
    }
    func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]? { nil }
    func clearHalt(_ direction: BulkDirection) throws(PipeError) {}
    func control(_ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration) throws(PipeError)
        -> [UInt8]
    { [] }
    func close() {}
}

@Suite struct InterruptTests {
    @Test(arguments: [1, 8, 12, 64])
    func eventsComeTogetherFromPieces(size: Int) {
        let events = [PTPEvent(.objectAdded, transaction: 0, [1]), PTPEvent(0xC101, transaction: 9, [1, 2, 3])]
        let bytes = events.flatMap(BulkContainer.event)
        var assembler = InterruptAssembler()
        var found: [PTPEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += assembler.take(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(found == events)
    }

    @Test func garbageIsDroppedAndTheNextEventIsRead() {
        var assembler = InterruptAssembler()
        #expect(assembler.take([0xFF, 0xFF, 0xFF, 0xFF, 4, 0, 2, 0x40, 0, 0, 0, 0]).isEmpty)
        #expect(assembler.take([UInt8](repeating: 0, count: 16)).isEmpty)
        #expect(assembler.take(BulkContainer.event(PTPEvent(.objectAdded, [5]))).count == 1)
    }
}
