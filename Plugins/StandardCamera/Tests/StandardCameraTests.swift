import CameraTesting
import FilmgateCore
import Logging
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

@Suite struct StandardCameraTests {
    static let bench = CameraBench(
        StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x46F4, product: 4))

    @Test(arguments: CameraConformance<StandardCamera>.all, CameraBench<StandardCamera>.Way.allCases)
    func conformance(check: CameraCheck<StandardCamera>, way: CameraBench<StandardCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws {
        try await ForeignClient.check(StandardPersonality())
    }

    @Test func aCameraThatAnnouncesItselfIsFoundWithoutItsAddress() async throws {
        let state = try TemporaryState()
        defer { state.remove() }
        var card = VirtualCard()
        card.add(VirtualFile("IMG_1.JPG", .pattern(seed: 1, size: 5000)), in: "DCIM/100MEDIA")
        let responder = try PTPIPResponder(VirtualCamera(StandardPersonality(), cards: [card]))
        let announcer = try Announcer { _ in [DNSAnswer.camera("Body", at: IPv4(127, 0, 0, 1), port: responder.port)] }
        defer {
            responder.stop()
            announcer.stop()
        }
        var scope = CameraFinder.SearchScope()
        scope.networks = { [LocalNetwork(own: IPv4(127, 0, 0, 1), mask: IPv4(255, 255, 255, 252))] }
        (scope.mdns, scope.ssdp, scope.patience) = (announcer.endpoint, nil, .milliseconds(300))
        var config = StandardCamera.Config(), lookup = Lookup()
        config.camera.network = CameraHosts(isAuto: true)
        let finder = CameraFinder(state: state.path, scope: scope)
        lookup.services = [CameraConnections(), finder]
        let module = try StandardCamera(
            config, ModuleContext(name: "ptp", logger: Logger(label: "test"), state: state.path, lookup: lookup))
        let place = try #require(try await module.places().first)
        #expect(place.address == "ptpip://127.0.0.1:\(responder.port)")
        #expect(finder.counters.found == 1)
        let session = try await module.open(place)
        #expect(try await session.entries().map(\.origin.name) == ["IMG_1.JPG"])
        await session.close()
        #expect(KnownCameras(state: state.path).entries.map(\.host.port) == [responder.port])
    }

    @Test func aFolderIsListedInOneRequestWhereThatIsOffered() async throws {
        let files = (1...300).map { ("", VirtualFile("IMG_\($0).JPG", .pattern(seed: UInt64($0), size: 100))) }
        try await Self.bench.run(.network, files: files) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.count == 300)
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectInfo }.count <= 6)
        }
    }

    @Test func aRefusedBulkListingCostsOneRequest() async throws {
        let files = (1...30).map { ("", VirtualFile("IMG_\($0).JPG", .pattern(seed: UInt64($0), size: 100))) }
        let faults = [Fault(.refuse(.specificationByFormatUnsupported), on: .getObjectPropList, times: .max)]
        try await Self.bench.run(.network, files: files, faults: faults) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.count == 30)
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectPropList }.count == 1)
        }
    }

    @Test func aFileBeyondFourGigabytesIsListedWithItsSizeAndReadAtItsEnd() async throws {
        let size: UInt64 = (5 << 30) + 3
        let file = VirtualFile("MVI_0001.MP4", .pattern(seed: 9, size: size))
        try await Self.bench.run(.network, files: [("", file)]) { scene in
            let entries = try await scene.session.entries()
            let entry = try #require(entries.first)
            #expect(entry.origin.size == size)
            let tail = try await scene.bytes(of: entry, from: size - 5000)
            #expect(tail == file.content.slice(at: size - 5000, count: 5000))
        }
    }
}

/// A body whose newest file grows by a thousand bytes with every look at it, up to a limit that the test sets.
private struct GrowingPersonality: Personality {
    struct Limit: HandlerMemory, Sendable { var bytes = Int.max }
    let info = StandardPersonality().info

    func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let handle = ObjectHandle(request.operation.parameter(0))
        guard request.operation.code == .getObjectInfo, body.object(handle)?.info.isFolder == false else { return nil }
        let limit = body[Limit.self].bytes
        body.cards[0].change(handle) { object in
            let size = min(Int(object.size) + 1000, limit)
            (object.content, object.info.size) = (.bytes([UInt8](repeating: 7, count: size)), UInt64(size))
        }
        return nil
    }
}

/// What files that are listed or announced before they are written do to the listing and to arrivals.
@Suite struct EarlyFilesTests {
    private static let bench = CameraBench(
        StandardCamera.self, as: GrowingPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))

    @Test(.timeLimit(.minutes(5))) func aFileAnnouncedBeforeItIsWrittenArrivesOnceAndWhole() async throws {
        try await Self.bench.run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { $0[GrowingPersonality.Limit.self].bytes = 3000 }
            scene.camera.shoot([VirtualFile("A.MOV", .bytes([]))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(entry.fate == .take && entry.origin.size == 3000)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aFileThatGrowsDuringTheListingIsNamedAndArrivesLater() async throws {
        try await Self.bench.run(.network, files: [("", VirtualFile("A.MOV", .bytes([1])))]) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.map(\.fate) == [.unreadable("The camera was still writing it.")])
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            scene.camera.withBody { $0[GrowingPersonality.Limit.self].bytes = 50_000 }
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(entry.origin.size == 50_000)
        }
    }

    /// The address was given, or found by a search: where a camera was met, the next search asks first.
    @Test func whereACameraWasMetIsRemembered() async throws {
        let state = try TemporaryState()
        defer { state.remove() }
        var scope = CameraFinder.SearchScope()
        let loopback = LocalNetwork(own: IPv4(127, 0, 0, 1), mask: IPv4(255, 0, 0, 0))
        (scope.networks, scope.mdns, scope.ssdp) = ({ [loopback] }, nil, nil)
        for keeps in [false, true] {
            // It serves one at a time, and may not have seen yet that the last one left.
            let responder = try PTPIPResponder(VirtualCamera(StandardPersonality()))
            defer { responder.stop() }
            var config = StandardCamera.Config(), lookup = Lookup()
            (config.camera.hosts, config.camera.usb) = ([CameraHost("127.0.0.1", port: responder.port)], false)
            lookup.services = [CameraConnections(), CameraFinder(state: state.path, scope: scope, keeps: keeps)]
            let context = ModuleContext(name: "ptp", logger: Logger(label: "test"), state: state.path, lookup: lookup)
            let module = try StandardCamera(config, context)
            await (try await module.open(try #require(try await module.places().first))).close()
            #expect(
                CameraFinder(state: state.path, scope: scope).remembered()
                    == (keeps ? [CameraHost("127.0.0.1", port: responder.port)] : [])
            )
        }
    }
}
