import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import CanonCamera

/// Malformed cases of EOS events and listings (cases 16 and 17), each through the whole module.
@Suite(.timeLimit(.minutes(5))) struct CanonMalformedTests {
    private static func bench(_ personality: any Personality = CanonPersonality()) -> CameraBench<CanonCamera> {
        CameraBench(CanonCamera.self, as: personality, usb: CanonCameraTests.usb)
    }

    /// What arrives first when records of `spoil` are in the queue before those of a shot.
    private func arrival(_ spoil: @escaping @Sendable (inout VirtualBody) -> [UInt8]) async throws -> String {
        var name = ""
        try await Self.bench().run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { body in
                let records = spoil(&body)
                body[EOSBody.self].queue += records
            }
            scene.camera.shoot([VirtualFile("LAST.JPG", .pattern(seed: 1, size: 1000))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            name = entry.origin.name
        }
        return name
    }

    @Test func aNewFolderIsNoFile() async throws {
        let name = try await arrival { body in
            let (_, folders) = body.cards[0].add(VirtualFile("A.JPG", .pattern(seed: 1, size: 9)), in: "DCIM/999NEW")
            return folders.flatMap { EOSRecords.added($0, group: 0) }
        }
        #expect(name == "LAST.JPG")
    }

    @Test func oneHandleToldTwiceIsOneFile() async throws {
        try await Self.bench().run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            let shot = scene.camera.shoot([VirtualFile("A.JPG", .pattern(seed: 1, size: 9))])
            scene.camera.withBody { body in body[EOSBody.self].queue += EOSRecords.added(shot[0], group: 0) }
            guard case .arrived = await arrivals.next() else { throw Failed("nothing arrived") }
            scene.camera.shoot([VirtualFile("B.JPG", .pattern(seed: 2, size: 9))])
            guard case .arrived(let second) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(second.origin.name == "B.JPG")
        }
    }

    @Test func aRemovedHandleThatNobodyKnowsDoesNoHarm() async throws {
        let name = try await arrival { _ in EOSRecords.record(0xC182) { $0.put(UInt32(0x9190_7777)) } }
        #expect(name == "LAST.JPG")
    }

    @Test func aMaskThatPromisesMoreThanItsRecordHoldsIsPassedOver() async throws {
        let name = try await arrival { _ in EOSRecords.record(0xC1A5) { $0.put(UInt32.max) } }
        #expect(name == "LAST.JPG")
    }

    /// It holds itself, too, and is entered once.
    @Test func aFolderWithoutANameIsEnteredUnderItsHandle() async throws {
        let personality = SpoiledPersonality(CanonPersonality()).answering(.eosListing) { request, body in
            var folder = ObjectInfo(), picture = ObjectInfo()
            (folder.format, folder.associationType) = (.association, 1)
            (picture.format, picture.name, picture.size) = (.exifJPEG, "A.JPG", 9)
            var card = body.cards[0]
            let nameless = card.insert(folder, .bytes([]), below: .root)
            card.insert(picture, .pattern(seed: 1, size: 9), below: nameless.handle)
            let objects = card.below(ObjectHandle(request.operation.parameter(1))).compactMap { card[$0] } + [nameless]
            var writer = ByteWriter()
            writer.put(UInt32(objects.count))
            for object in objects { writer.put(contentsOf: EOSRecords.entry(object)) }
            return .data(writer.bytes)
        }
        try await Self.bench(personality).run(.network) { scene in
            let paths = try await scene.session.entries().map(\.origin.path)
            #expect(
                paths.count == CardFiles.few.count + 1
                    && paths.contains { $0.contains("folder-0x") && $0.hasSuffix("/A.JPG") })
            #expect(await scene.session.unlisted() == nil)
            #expect(scene.camera.log.filter { $0.operation.code == .eosListing }.count < 10)
        }
    }

    private static let long = "Blåbær på fjellet.JPG"

    /// Fifteen bytes of a name are all that a listing has room for.
    @Test func aNameThatFillsTheListingIsAskedFor() async throws {
        let files = [("", VirtualFile(Self.long, .pattern(seed: 1, size: 900)))] + CardFiles.few
        try await Self.bench().run(.network, files: files) { scene in
            let entries = try await scene.session.entries()
            let entry = try #require(entries.first { $0.origin.name == Self.long })
            #expect(entry.kind == .jpeg && entries.count == files.count)
            // Nothing is asked about the others.
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectInfo }.count == 1)
            #expect(try await scene.bytes(of: entry).count == 900)
        }
    }

    /// The frame is the same file in the event, and in the listing after it.
    @Test func aNewFrameWithALongNameArrivesOnceUnderIt() async throws {
        try await Self.bench().run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.shoot([VirtualFile(Self.long, .pattern(seed: 1, size: 900))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(entry.origin.name == Self.long && entry.kind == .jpeg)
            #expect(try await scene.session.entries().map(\.origin.id) == [entry.origin.id])
        }
    }

    /// A body that does not tell the whole name still says that it is a picture.
    @Test func aPictureOfAShortenedNameIsStillAPicture() async throws {
        let personality = SpoiledPersonality(CanonPersonality()).answering(.getObjectInfo) { _, _ in
            Answer(.operationNotSupported)
        }
        try await Self.bench(personality).run(
            .network, files: [("", VirtualFile(Self.long, .pattern(seed: 1, size: 900)))]
        ) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.map(\.kind) == [.jpeg] && entries.allSatisfy { $0.fate == .take })
        }
    }

    /// Nobody wants it, and the body would show it again and again and fill its memory.
    @Test func aFrameInMemoryThatNobodyWantsIsLetGo() async throws {
        var personality = CanonPersonality()
        personality.toHost = true
        try await Self.bench(personality).run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.shoot([VirtualFile("A.CR3", .pattern(seed: 1, size: 9000))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
            scene.session.settled(AssetResult(asset: asset, ending: .filtered, reason: "not wanted"))
            while scene.camera.withBody({ !$0[EOSBody.self].waiting.isEmpty }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(!scene.camera.log.contains { $0.operation.code == .eosPartial })
        }
    }
}
