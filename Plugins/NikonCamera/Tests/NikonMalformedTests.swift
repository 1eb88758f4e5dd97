import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import NikonCamera

/// Malformed cases of Nikon's event queue (case 18), each through the whole module.
@Suite(.timeLimit(.minutes(5))) struct NikonMalformedTests {
    private func arrival(_ spoil: @escaping (CameraBench<NikonCamera>.Scene) -> Void) async throws -> String {
        var name = ""
        try await NikonCameraTests.bench(NikonPersonality()).run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            var arrivals = try await scene.session.arrivals().makeAsyncIterator()
            spoil(scene)
            scene.camera.shoot([VirtualFile("DSC_0001.JPG", .pattern(seed: 1, size: 1000))])
            guard case .arrived(let entry) = await arrivals.next() else { throw Failed("nothing arrived") }
            name = entry.origin.name
        }
        return name
    }

    @Test(arguments: [ResponseCode.deviceBusy, 0xA004, 0xA200])
    func aQueueThatIsBusyIsAskedAgain(code: ResponseCode) async throws {
        let fault = Fault(.refuse(code), on: .nikonEventsEx, times: 4)
        let name = try await arrival { $0.camera.add(fault) }
        #expect(name == "DSC_0001.JPG")
    }

    @Test func aFloodOfEventsOfNothingDoesNotHideAFrame() async throws {
        let name = try await arrival { scene in
            scene.camera.withBody { body in
                for handle in 0..<65_535 as Range<UInt32> { body.post(PTPEvent(.objectRemoved, [handle])) }
            }
        }
        #expect(name == "DSC_0001.JPG")
    }

    @Test func anEventForAnObjectThatIsGoneIsNoNews() async throws {
        let name = try await arrival { scene in
            scene.camera.withBody { body in
                for handle in [0, 0xFFFF_0001, 0xDEAD_BEEF] as [UInt32] { body.post(PTPEvent(.objectAdded, [handle])) }
            }
        }
        #expect(name == "DSC_0001.JPG")
    }

    @Test func aFloodInTheQueueIsReadToItsEnd() throws {
        var writer = ByteWriter()
        writer.put(UInt32(65_535))
        for handle in 0..<65_535 as Range<UInt32> {
            writer.put(UInt16(0x4002))
            writer.put(UInt16(1))
            writer.put(handle)
        }
        #expect(try NikonEvents.extended(writer.bytes.span.bytes).count == 65_535)
    }
}
