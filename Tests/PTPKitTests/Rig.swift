import PTPKit
import VirtualCamera

/// A camera with one file, a responder for it, and our end of the connection.
final class Rig: Sendable {
    let body: VirtualCamera, responder: PTPIPResponder, camera: PTPCamera
    let handle: ObjectHandle, content: Content

    init(size: UInt64 = 100_000, quirks: Quirks = .standard, faults: Fault...) async throws {
        content = .pattern(seed: 1, size: size)
        var card = VirtualCard()
        handle = card.add(VirtualFile("IMG_0001.JPG", content)).object.handle
        body = VirtualCamera(StandardPersonality(), cards: [card], faults: faults)
        responder = try PTPIPResponder(body)
        let link = try PTPIPConnector(host: "127.0.0.1", port: responder.port, identity: .init(guid: [1], name: "test"))
            .open()
        camera = PTPCamera(link, quirks: quirks)
    }
    deinit { responder.stop() }

    func object() async throws -> [UInt8] {
        let handle = handle
        return try await camera.run { camera throws(PTPError) in try camera.read(.getObject, handle.rawValue) }
    }
    func failure(_ body: () async throws -> Void) async -> PTPError? {
        do {
            try await body()
            return nil
        } catch { return error as? PTPError }
    }
}
