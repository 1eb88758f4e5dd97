import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// A camera that is plugged in again at another address of the bus is the one that it was, and no second one.
@Suite(.timeLimit(.minutes(5))) struct USBReturnTests {
    private static let bench = CameraBench(
        StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))
    private static let usb = USBIdentity(vendor: 0x1234, product: 1)

    private func move(_ scene: CameraBench<StandardCamera>.Scene, to address: String) {
        scene.bus.unplug(scene.place.address)
        scene.bus.plug(scene.camera, usb: Self.usb, address: address)
    }

    @Test func whileItsSessionIsOpenItIsStillThePlaceThatItWas() async throws {
        try await Self.bench.run(.bus) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            move(scene, to: "usb://virtual/2")
            let seen = try await scene.module.places()
            #expect(seen.map(\.address) == [scene.place.address])
            var isBack = false
            while !isBack, let news = await arrivals.next() { if case .back = news { isBack = true } }
            let later = try await scene.module.places()
            #expect(later.map(\.address) == [scene.place.address])
            scene.camera.shoot([VirtualFile("AFTER.JPG", .pattern(seed: 1, size: 1000))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            #expect(entry.origin.name == "AFTER.JPG" && entry.origin.root == scene.place.address)
        }
    }

    @Test func aFileThatWasOnItsWayIsReadOnAtTheNewAddress() async throws {
        let clip = VirtualFile("A.MOV", .pattern(seed: 4, size: 40 << 20))
        try await Self.bench.run(.bus, files: [("", clip)]) { scene in
            let entry = try #require(try await scene.session.entries().first)
            async let bytes = scene.bytes(of: entry)
            while scene.camera.log.filter({ $0.operation.code == .getPartialObject }).count < 5 { await Task.yield() }
            move(scene, to: "usb://virtual/7")
            let read = try await bytes
            #expect(read == clip.content.slice(at: 0, count: 40 << 20))
        }
    }

    @Test func afterItsSessionItIsAPlaceOfItsOwn() async throws {
        try await Self.bench.run(.bus) { scene in
            _ = try await scene.session.entries()
            await scene.session.close()
            move(scene, to: "usb://virtual/3")
            let places = try await scene.module.places()
            #expect(places.map(\.address) == ["usb://virtual/3"])
        }
    }

    /// Malformed, and yet two cameras: one serial number in both, and both are there (case 22).
    @Test func twoBodiesOfOneSerialNumberAreTwoPlaces() async throws {
        try await Self.bench.run(.bus) { scene in
            scene.bus.plug(VirtualCamera(StandardPersonality()), usb: Self.usb, address: "usb://virtual/2")
            let places = try await scene.module.places()
            #expect(places.map(\.address) == [scene.place.address, "usb://virtual/2"])
        }
    }
}
