import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Synchronization
import Testing
import VirtualCamera

/// Which files of a camera count as taken before, and which bytes as those of one file: other bytes never pass for
/// known ones.
@Suite(.timeLimit(.minutes(5))) struct KnownCameraTests {
    private static let files = [
        (folder: "", file: VirtualFile("A.ARW", .pattern(seed: 1, size: 5000))),
        (folder: "", file: VirtualFile("B.ARW", .pattern(seed: 2, size: 5000))),
    ]

    private func bench(serial: String = "00000001", operations: Set<OperationCode> = []) -> CameraBench<StandardCamera>
    {
        let personality = StandardPersonality(serial: serial).with { $0.operations.subtract(operations) }
        return CameraBench(StandardCamera.self, as: personality, usb: USBIdentity(vendor: 0x1234, product: 1)) {
            $0.camera.chunk = ByteCount(1 << 20)
        }
    }

    /// What the camera lists, and what it lists when it is opened again after `change`.
    private func twice(
        _ bench: CameraBench<StandardCamera>, _ way: CameraBench<StandardCamera>.Way = .network,
        date: String = "20260501T120000", _ change: @escaping @Sendable (inout VirtualBody) -> Void = { _ in }
    ) async throws -> (before: [Origin], after: [Origin], identifies: Bool) {
        var result: (before: [Origin], after: [Origin], identifies: Bool) = ([], [], false)
        let files = Self.files.map { ($0.folder, VirtualFile($0.file.name, $0.file.content, date: date)) }
        try await bench.run(way, files: files) { scene in
            result.before = try await scene.session.entries().map(\.origin)
            result.identifies = scene.session.traits.identifiesDevice
            await scene.session.close()
            scene.camera.withBody { change(&$0) }
            let again = try await Self.reopened(scene)
            result.after = try await again.entries().map(\.origin)
            await again.close()
        }
        return result
    }

    /// The camera may still be letting go of the session before.
    private static func reopened(_ scene: CameraBench<StandardCamera>.Scene) async throws -> any SourceSession {
        for _ in 0..<500 {
            do throws(IngestError) { return try await scene.module.open(scene.place) } catch {
                guard error.code == .deviceBusy else { throw error }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        return try await scene.module.open(scene.place)
    }

    private func areKnown(_ result: (before: [Origin], after: [Origin], identifies: Bool)) -> Bool {
        result.identifies && result.before[0].volume == result.after[0].volume
            && zip(result.before, result.after).allSatisfy { Evidence.proves($1.fingerprint, isSameAs: $0.fingerprint) }
    }

    @Test(arguments: [CameraBench<StandardCamera>.Way.network, .bus]) func theSameCardIsKnown(
        _ way: CameraBench<StandardCamera>.Way
    ) async throws {
        let result = try await twice(bench(), way)
        #expect(areKnown(result) && result.before.count == 2)
    }

    @Test func theSameBodyIsKnownByUSBAndByWiFi() async throws {
        let network = try await twice(bench()), bus = try await twice(bench(), .bus)
        #expect(areKnown((network.before, bus.before, true)))
    }

    @Test(arguments: ["", "garbage", "19800101T000000", "19700101T000000", "20000101T001500"])
    func withoutAUsableDateNothingIsKnown(_ date: String) async throws {
        #expect(try await !areKnown(twice(bench(), date: date)))
    }

    @Test func aCardWithAnotherLabelIsAnotherCard() async throws {
        #expect(try await !areKnown(twice(bench()) { $0.cards[0].info.volume = "VOL2" }))
        #expect(try await !areKnown(twice(bench()) { $0.cards[0].info.label = "" }))
    }

    /// On the network the GUID tells bodies apart that give no serial number; on the bus nothing does.
    @Test(arguments: ["", "0", "00000000000000000000000000000000"]) func aBodyWithoutASerialNumber(
        _ serial: String
    ) async throws {
        let network = try await twice(bench(serial: serial))
        #expect(areKnown(network) && network.before[0].volume.lowercased().contains("guid fcfcfc"))
        #expect(try await !areKnown(twice(bench(serial: serial), .bus)))
    }

    /// In one long session: the camera comes back with another card, whose files have the same names and sizes and no
    /// date.
    @Test func anotherCardOfACameraThatComesBackIsTold() async throws {
        let files = Self.files.map { ($0.folder, VirtualFile($0.file.name, $0.file.content, date: "")) }
        try await bench().run(.network, files: files) { scene in
            #expect(try await scene.session.entries().count == 2)
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { body in
                for handle in body.cards[0].files.map(\.handle) {
                    body.cards[0].change(handle) { $0.content = .pattern(seed: 9, size: 5000) }
                }
            }
            (scene.server as? PTPIPResponder)?.breakConnections()
            var names: [String] = []
            while names.count < 2, let news = await arrivals.next() {
                if case .arrived(let entry) = news { names.append(entry.origin.name) }
            }
            #expect(names == ["A.ARW", "B.ARW"])
        }
    }

    /// The connection breaks just when the card's label is asked for: the same files are not told as another card's.
    @Test(arguments: [Fault.Kind.drop(after: 0), .goodbye]) func aLabelThatWasNotToldIsNoOtherCard(
        _ kind: Fault.Kind
    ) async throws {
        let files = Self.files.map { ($0.folder, VirtualFile($0.file.name, $0.file.content, date: "20260501T120000")) }
        try await bench().run(.network, files: files) { scene in
            let listed = try await scene.session.entries()
            #expect(listed.count == 2)
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.add(Fault(kind, on: .getStorageInfo))
            (scene.server as? PTPIPResponder)?.breakConnections()
            _ = scene.camera.shoot([VirtualFile("C.ARW", .pattern(seed: 3, size: 5000), date: "20260501T120001")])
            var first: SourceEntry?
            while first == nil, let news = await arrivals.next() {
                if case .arrived(let entry) = news { first = entry }
            }
            #expect(first?.origin.name == "C.ARW")
            #expect(first?.origin.inode == listed[0].origin.inode)
            // And a file that is read then is found as it was listed.
            scene.camera.add(Fault(kind, on: .getStorageInfo))
            (scene.server as? PTPIPResponder)?.breakConnections()
            let sink = MemorySink()
            try await scene.session.fetch(listed[0].origin, from: 0, into: sink)
            #expect(sink.bytes.count == 5000)
        }
    }

    // MARK: Resuming

    private static func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
        Content.pattern(seed: seed, size: UInt64(count)).slice(at: 0, count: count)
    }

    /// Two clips with the same padding around the break, and in the second case with the same beginning, too.
    @Test(arguments: [0, 65_536]) func anotherClipWithTheSamePaddingIsNotSewnOn(_ equal: Int) async throws {
        let padding = [UInt8](repeating: 0, count: 3 << 20), head = Self.noise(equal, 7)
        func clip(_ seed: UInt64) -> [UInt8] {
            let parts: [[UInt8]] = [
                head, Self.noise(1_048_576 - equal, seed), padding, Self.noise(1_048_576, seed + 2),
            ]
            return parts.reduce(into: [] as [UInt8]) { $0 += $1 }
        }
        let first = clip(1), other = clip(2)
        let sink = MemorySink(), visits = Mutex(0)
        // From the second connection on it is the other one.
        let changing = SpoiledPersonality(StandardPersonality()).answering(.getDeviceInfo) { _, _ in
            visits.withLock { $0 += 1 }
            return nil
        }.answering(.getPartialObject) { request, _ in
            let content = Content.bytes(visits.withLock { $0 } > 1 ? other : first)
            let offset = UInt64(request.operation.parameter(1))
            return Answer(
                .ok,
                payload: .part(
                    content, offset: offset, count: min(UInt64(request.operation.parameter(2)), content.size - offset)))
        }
        let bench = CameraBench(StandardCamera.self, as: changing, usb: USBIdentity(vendor: 0x1234, product: 1)) {
            $0.camera.chunk = ByteCount(1 << 20)
        }
        try await bench.run(.network, files: [("", VirtualFile("A.MOV", .bytes(first)))]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            scene.camera.add(Fault(.drop(after: 300_000), on: .getPartialObject, skip: 2))
            let failure = await #expect(throws: IngestError.self) {
                try await scene.session.fetch(entry.origin, from: 0, into: sink)
            }
            #expect(failure?.cause is OtherBytes)
        }
        // What came is of the first alone.
        #expect(sink.bytes.count > 2 << 20 && sink.bytes.elementsEqual(first.prefix(sink.bytes.count)))
    }

    @Test func theSameClipIsGoneOnWithThroughItsPadding() async throws {
        let parts: [[UInt8]] = [
            Self.noise(1_048_576, 1), [UInt8](repeating: 0, count: 3 << 20), Self.noise(1_048_576, 3),
        ]
        let clip = parts.reduce(into: [] as [UInt8]) { $0 += $1 }
        try await bench().run(.network, files: [("", VirtualFile("A.MOV", .bytes(clip)))]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            scene.camera.add(Fault(.drop(after: 300_000), on: .getPartialObject, skip: 2))
            #expect(try await scene.bytes(of: entry) == clip)
            let begun = scene.camera.log.count {
                $0.operation.code == .getPartialObject && $0.operation.parameter(1) == 0
                    && $0.operation.parameter(2) > 65_536
            }
            #expect(begun == 1)
        }
    }

    // MARK: Longer than it says

    @Test(arguments: ["SMALLER.JPG", "SMALLER.ARW"]) func anObjectThatIsLongerThanItsInfoSaysIsNoWholeFile(
        _ name: String
    ) async throws {
        let content = Self.noise(200_004, 1) + [0xFF, 0xD9]
        try await bench(operations: [.getObjectPropList]).run(
            .network, files: [("", VirtualFile(name, .bytes(content)))]
        ) { scene in
            scene.camera.withBody { body in
                if let handle = body.cards[0].files.first?.handle {
                    body.cards[0].change(handle) { $0.info.size = 100_000 }
                }
            }
            let entry = try #require(try await scene.session.entries().first)
            #expect(entry.origin.size == 100_000)
            let failure = await #expect(throws: IngestError.self) { _ = try await scene.bytes(of: entry) }
            #expect(
                failure?.code == .corruptData && failure?.message.contains("holds more") == true,
                "\(failure?.message ?? "")")
        }
    }

    /// Nothing is asked behind the end of a JPEG that ends as JPEGs do; a camera that refuses the question is asked
    /// once.
    @Test func theQuestionForTheEndCostsLittle() async throws {
        let picture = VirtualFile("A.JPG", .bytes(Self.noise(5000, 1) + [0xFF, 0xD9]))
        let files = [("", picture)] + Self.files.map { ($0.folder, $0.file) }
        let refusing = SpoiledPersonality(StandardPersonality()).answering(.getPartialObject) { request, _ in
            request.operation.parameter(1) >= 5000 ? Answer(.invalidParameter) : nil
        }
        let bench = CameraBench(StandardCamera.self, as: refusing, usb: USBIdentity(vendor: 0x1234, product: 1))
        try await bench.run(.network, files: files) { scene in
            for entry in try await scene.session.entries() {
                #expect(try await UInt64(scene.bytes(of: entry).count) == entry.origin.size)
            }
            let questions = scene.camera.log.filter {
                $0.operation.code == .getPartialObject && $0.operation.parameter(1) >= 5000
            }
            #expect(questions.count == 1)
        }
    }
}
