import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// A body whose answers to some operations are whatever the test wants.
struct HostilePersonality: Personality {
    var info = StandardPersonality().info
    var answers: [OperationCode: @Sendable (VirtualRequest, VirtualBody) -> Answer?] = [:]

    /// One request for each object, so that every answer counts.
    init() { info.operations.remove(.getObjectPropList) }

    func answering(
        _ code: OperationCode, _ answer: @escaping @Sendable (VirtualRequest, VirtualBody) -> Answer?
    ) -> HostilePersonality {
        var copy = self
        copy.answers[code] = answer
        return copy
    }

    func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        body.session == nil ? nil : answers[request.operation.code].flatMap { $0(request, body) }
    }

    static func words(_ values: [UInt32], count: UInt32? = nil) -> Answer {
        var writer = ByteWriter(capacity: 4 * values.count + 4)
        writer.put(count ?? UInt32(values.count))
        for value in values { writer.put(value) }
        return .data(writer.bytes)
    }

    func bench() -> CameraBench<StandardCamera> {
        CameraBench(StandardCamera.self, as: self, usb: USBIdentity(vendor: 0x1234, product: 1)) { $0.bulk = false }
    }
}

/// Malformed cases of stores and listings (10, 11, 12), each through the whole module.
@Suite(.timeLimit(.minutes(5))) struct HostileListingTests {
    private func list(_ personality: HostilePersonality, files: [(folder: String, file: VirtualFile)] = CardFiles.few)
        async throws
        -> [SourceEntry]
    {
        let found = Found()
        try await personality.bench().run(.network, files: files) { scene in
            let entries = try await scene.session.entries()
            // Nothing, and told why.
            if entries.isEmpty, let gap = await scene.session.unlisted() { throw gap }
            await found.set(entries)
        }
        return await found.entries
    }
    private actor Found {
        var entries: [SourceEntry] = []
        func set(_ entries: [SourceEntry]) { self.entries = entries }
    }

    @Test(arguments: [[], [0], [0x0002_0000], [0xFFFF_FFFF]] as [[UInt32]])
    func storesThatHoldNothingAreNoCard(ids: [UInt32]) async throws {
        let personality = HostilePersonality().answering(.getStorageIDs) { _, _ in HostilePersonality.words(ids) }
        let gap = await #expect(throws: IngestError.self) { try await list(personality) }
        #expect(gap?.code == .notFound && gap?.message.contains("no card") == true)
    }

    @Test func aStoreNamedTwiceIsListedOnce() async throws {
        let personality = HostilePersonality().answering(.getStorageIDs) { _, _ in
            HostilePersonality.words([0x10001, 0x10001, 0xFEED_FACE])
        }
        #expect(try await list(personality).count == CardFiles.few.count)
    }

    @Test func aMillionStoresAreRefused() async {
        let personality = HostilePersonality().answering(.getStorageIDs) { _, _ in
            HostilePersonality.words([UInt32](repeating: 0x10001, count: 1_000_000))
        }
        await #expect(throws: IngestError.self) { try await list(personality) }
    }

    @Test func tenMillionHandlesAreRefused() async {
        let personality = HostilePersonality().answering(.getObjectHandles) { _, _ in
            HostilePersonality.words(
                [UInt32](unsafeUninitializedCapacity: 10_000_000) { buffer, count in
                    for index in 0..<10_000_000 { buffer.initializeElement(at: index, to: UInt32(index)) }
                    count = 10_000_000
                })
        }
        await #expect(throws: IngestError.self) { try await list(personality) }
    }

    @Test func aCountOfHandlesLargerThanTheDataIsRefused() async {
        let personality = HostilePersonality().answering(.getObjectHandles) { _, _ in
            HostilePersonality.words([1, 2], count: 0xFFFF_FFFF)
        }
        await #expect(throws: IngestError.self) { try await list(personality) }
    }

    @Test func handlesThatNameNothingAndRepeatedOnesAreListedOnce() async throws {
        let personality = HostilePersonality().answering(.getObjectHandles) { request, body in
            let real = body.cards[0].below(ObjectHandle(request.operation.parameter(2))).map(\.rawValue)
            return HostilePersonality.words([0, 0xFFFF_FFFF] + real + real)
        }
        #expect(try await list(personality).count == CardFiles.few.count)
    }

    @Test func foldersThatContainEachOtherEnd() async throws {
        let personality = HostilePersonality().answering(.getObjectHandles) { request, body in
            let parent = request.operation.parameter(2)
            let folders = body.cards[0].order.filter { body.object($0)?.info.isFolder == true }.map(\.rawValue)
            guard folders.contains(parent) else { return nil }
            return HostilePersonality.words(body.cards[0].below(ObjectHandle(parent)).map(\.rawValue) + folders)
        }
        #expect(try await list(personality).count == CardFiles.few.count)
    }

    /// Handle n is a folder that holds handle n + 1, for ever.
    @Test func foldersWithoutEndAreLeftAtALimit() async throws {
        let personality = HostilePersonality().answering(.getObjectHandles) { request, _ in
            let parent = ObjectHandle(request.operation.parameter(2))
            return HostilePersonality.words([parent.isReal ? parent.rawValue + 1 : 1])
        }.answering(.getObjectInfo) { _, _ in
            var info = ObjectInfo()
            (info.format, info.associationType, info.name) = (.association, 1, "DEEP")
            return .data(info.encoded)
        }
        let told = await #expect(throws: IngestError.self) { try await list(personality) }
        #expect(told?.description.contains("more than 32 deep") == true)
    }

    @Test(arguments: ["parent is itself", "parents in a circle", "parent unknown"])
    func parentsThatMakeNoTree(kind: String) async throws {
        let personality = HostilePersonality()
        try await personality.bench().run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { body in
                let (file, folders) = body.cards[0].add(VirtualFile("A.JPG", .pattern(seed: 1, size: 9)), in: "X/Y")
                let parents: [ObjectHandle] =
                    switch kind {
                    case "parent is itself": [file.handle, folders[1].handle]
                    case "parents in a circle": [folders[1].handle, file.handle]
                    default: [ObjectHandle(0x7777), ObjectHandle(0x7777)]
                    }
                body.cards[0].change(file.handle) { $0.info.parent = parents[0] }
                body.cards[0].change(folders[1].handle) { $0.info.parent = parents[1] }
                body.post(PTPEvent(.objectAdded, [file.handle.rawValue]))
            }
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("did not arrive") }
            #expect(entry.origin.name == "A.JPG")
        }
    }

    static let names = [
        "../../etc/passwd", "a/b.JPG", "..", ".", "C:\\x.JPG", "\u{202E}GPJ.exe", "A\u{0}B.JPG", "\u{7}bell.JPG",
        " lead.JPG ", "CON.JPG", String(repeating: "x", count: 250) + ".JPG", "\u{E9}.JPG", "e\u{301}.JPG", "\n.JPG",
    ]

    @Test func hostileNamesStayOnePartOfAPath() async throws {
        let files = Self.names.map { ("", VirtualFile($0, .pattern(seed: 1, size: 10))) }
        let entries = try await list(HostilePersonality(), files: files)
        #expect(entries.count == Self.names.count)
        #expect(Set(entries.map(\.origin.id)).count == entries.count)
        for entry in entries {
            let parts = entry.origin.path.split(separator: "/", omittingEmptySubsequences: false)
            #expect(
                parts.count == 3 && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 })
            #expect(!entry.origin.path.unicodeScalars.contains { $0.value < 0x20 || $0 == "\\" })
        }
    }

    @Test func emptyNamesOfFilesAndFoldersDoNoHarm() async throws {
        let personality = HostilePersonality().answering(.getObjectInfo) { request, body in
            guard let object = body.object(ObjectHandle(request.operation.parameter(0))),
                object.info.name.hasPrefix("IMG")
            else {
                return nil
            }
            var info = object.info
            info.name = ""
            return .data(info.encoded)
        }
        let entries = try await list(personality)
        #expect(entries.count == CardFiles.few.count)
        #expect(
            entries.allSatisfy { !$0.origin.name.isEmpty } && Set(entries.map(\.origin.path)).count == entries.count)
    }

    @Test func twoFilesOfOneNameInOneFolderAreBothListed() async throws {
        let files = (1...3).map { ("", VirtualFile("A.JPG", .pattern(seed: UInt64($0), size: UInt64($0)))) }
        let entries = try await list(HostilePersonality(), files: files)
        #expect(Set(entries.map(\.origin.path)).count == 3)
    }

    @Test func objectInfosCutAnywhereFailOrNameTheirFile() async throws {
        var whole = ObjectInfo()
        (whole.name, whole.size, whole.format, whole.modified) = ("A.JPG", 10, .exifJPEG, "20260501T120000")
        for length in stride(from: 0, through: whole.encoded.count, by: 3) {
            let bytes = Array(whole.encoded.prefix(length))
            let personality = HostilePersonality().answering(.getObjectInfo) { request, body in
                body.object(ObjectHandle(request.operation.parameter(0)))?.info.isFolder == true ? nil : .data(bytes)
            }
            let entries = try? await list(personality, files: [("", VirtualFile("A.JPG", .pattern(seed: 1, size: 10)))])
            #expect(entries.map { $0.count == 1 && !$0[0].origin.name.isEmpty } ?? true)
        }
    }
}
