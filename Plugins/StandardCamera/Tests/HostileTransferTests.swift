import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// Malformed cases of transfers and of timing (13, 21, 22, 24): a file comes whole or not at all, and nothing hangs.
@Suite(.timeLimit(.minutes(5))) struct HostileTransferTests {
    private static let clip = VirtualFile("A.MOV", .pattern(seed: 4, size: 9 << 20))

    /// The bytes of the clip, or how its transfer failed.
    private func fetch(_ personality: HostilePersonality, _ prepare: (VirtualCamera) -> Void = { _ in }) async throws
        -> [UInt8]
    {
        let sink = MemorySink()
        try await personality.bench().run(.network, files: [("", Self.clip)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            prepare(scene.camera)
            try await scene.session.fetch(entry.origin, from: 0, into: sink)
        }
        return sink.bytes
    }

    /// A partial read that gives these many bytes in place of those asked for.
    private func giving(_ count: @escaping @Sendable (UInt32) -> UInt64) -> HostilePersonality {
        HostilePersonality().answering(.getPartialObject) { request, body in
            guard let object = body.object(ObjectHandle(request.operation.parameter(0))) else { return nil }
            let offset = UInt64(request.operation.parameter(1)), size = count(request.operation.parameter(2))
            // Behind the end it says that there is nothing.
            if offset >= object.size { return .data([]) }
            return Answer(
                .ok, [UInt32(size)],
                payload: .part(.pattern(seed: 4, size: 1 << 40), offset: min(offset, object.size), count: size))
        }
    }

    @Test func partsOfNothingFail() async {
        await #expect(throws: IngestError.self) { try await fetch(giving { _ in 0 }) }
    }

    @Test func partsLargerThanAskedForFail() async {
        await #expect(throws: IngestError.self) { try await fetch(giving { UInt64($0) + 1 }) }
    }

    @Test func smallerPartsThanAskedForAreAskedOn() async throws {
        #expect(try await fetch(giving { min(UInt64($0), 777_777) }) == Self.clip.content.slice(at: 0, count: 9 << 20))
    }

    @Test func aCountInTheResponseThatDiffersFromTheDataIsOfNoConsequence() async throws {
        let personality = HostilePersonality().answering(.getPartialObject) { request, body in
            guard let object = body.object(ObjectHandle(request.operation.parameter(0))) else { return nil }
            let offset = UInt64(request.operation.parameter(1))
            let count = min(UInt64(request.operation.parameter(2)), object.size - offset)
            return Answer(.ok, [0xFFFF_FFFF], payload: .part(object.content, offset: offset, count: count))
        }
        #expect(try await fetch(personality) == Self.clip.content.slice(at: 0, count: 9 << 20))
    }

    @Test(arguments: [ResponseCode.invalidObjectHandle, .storeNotAvailable, .sessionNotOpen, .generalError])
    func refusedInTheMiddleOfAFile(code: ResponseCode) async throws {
        let camera = Fault(.refuse(code), on: .getPartialObject, skip: 1, times: code == .sessionNotOpen ? 1 : .max)
        let bytes = try? await fetch(HostilePersonality()) { $0.add(camera) }
        #expect(bytes.map { $0 == Self.clip.content.slice(at: 0, count: 9 << 20) } ?? (code != .sessionNotOpen))
    }

    @Test func aCardPulledInTheMiddleOfAFileFails() async {
        await #expect(throws: IngestError.self) {
            try await fetch(HostilePersonality()) { $0.add(Fault(.pullCard, on: .getPartialObject, skip: 1)) }
        }
    }

    @Test func aBodyThatMissedARequestIsVisitedAgain() async throws {
        let bytes = try await fetch(HostilePersonality()) { $0.add(Fault(.gap, on: .getPartialObject, skip: 1)) }
        #expect(bytes == Self.clip.content.slice(at: 0, count: 9 << 20))
    }

    @Test func aLostPongCostsAConnectionAndNoBytes() async throws {
        let bytes = try await fetch(HostilePersonality()) { $0.add(Fault(.lostPong, on: .getPartialObject, skip: 1)) }
        #expect(bytes == Self.clip.content.slice(at: 0, count: 9 << 20))
    }

    @Test(arguments: 0..<14)
    func goneAtEveryStep(step: Int) async throws {
        var bytes: [UInt8]?
        let sink = MemorySink()
        try? await HostilePersonality().bench().run(
            .network, files: [("", Self.clip)], faults: [Fault(.goodbye, skip: step)]
        ) { scene in
            let entry = try #require(try await scene.session.entries().first)
            try await scene.session.fetch(entry.origin, from: 0, into: sink)
            bytes = sink.bytes
        }
        if let bytes { #expect(bytes == Self.clip.content.slice(at: 0, count: 9 << 20)) }
    }

    /// The same name, size and time, and other bytes: what a resumed transfer must not sew together.
    @Test(arguments: [true, false])
    func anotherFileUnderTheSameNameAfterComingBackIsNotSewnOn(parts: Bool) async throws {
        var personality = HostilePersonality()
        if !parts { personality.info.operations.subtract([.getPartialObject, .getPartialObject64]) }
        let fault = Fault(.drop(after: 2 << 20), on: parts ? .getPartialObject : .getObject, skip: 0)
        await #expect(throws: IngestError.self) {
            try await fetch(personality) { camera in
                camera.add(fault)
                Task {
                    while camera.hasFaults { await Task.yield() }
                    camera.withBody { body in
                        if let handle = body.cards[0].files.first?.handle {
                            body.cards[0].change(handle) { $0.content = .pattern(seed: 5, size: 9 << 20) }
                        }
                    }
                }
            }
        }
    }

    @Test func aStorePulledDuringTheListingIsNoHang() async throws {
        for step in 0..<6 {
            try? await HostilePersonality().bench().run(
                .network, faults: [Fault(.pullCard, on: .getObjectInfo, skip: step)]
            ) { scene in
                let entries = try? await scene.session.entries()
                #expect((entries?.count ?? 0) <= CardFiles.few.count)
            }
        }
    }

    @Test func eventsOfNothingAndOfEverythingDoNoHarm() async throws {
        try await HostilePersonality().bench().run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { body in
                for code in [0, 0x4001, 0x4006, 0x4008, 0x400C, 0xC801, 0xFFFF] as [EventCode] {
                    body.post(PTPEvent(code, [1, 2, 3]))
                }
                for handle in [0, 0xFFFF_FFFF, 0xDEAD_BEEF] as [UInt32] { body.post(PTPEvent(.objectAdded, [handle])) }
                body.post(PTPEvent(.objectAdded, []))
                for handle in 0..<5000 as Range<UInt32> { body.post(PTPEvent(.objectRemoved, [handle])) }
            }
            scene.camera.shoot([VirtualFile("LAST.JPG", .pattern(seed: 1, size: 10))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("did not arrive") }
            #expect(entry.origin.name == "LAST.JPG")
        }
    }

    @Test func aBurstOfAHundredPairsWhileTheFirstIsRead() async throws {
        try await HostilePersonality().bench().run(.network, files: [("", Self.clip)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            async let bytes = scene.bytes(of: entry)
            for number in 1...100 { scene.camera.shoot(CardFiles.shot(number)) }
            var names: Set<String> = []
            while names.count < 200, case .arrived(let new) = await arrivals.next() { names.insert(new.origin.name) }
            #expect(names.count == 200)
            #expect(try await bytes.count == 9 << 20)
        }
    }
}
