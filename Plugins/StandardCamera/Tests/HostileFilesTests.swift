import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

/// Malformed cases of single files and of their dates (11, 12, 14, 24), each through the whole module.
@Suite(.timeLimit(.minutes(5))) struct HostileFilesTests {
    private func list(_ personality: HostilePersonality, _ files: [VirtualFile], faults: [Fault] = []) async throws
        -> [SourceEntry]
    {
        var entries: [SourceEntry] = []
        try await personality.bench().run(.network, files: files.map { ("", $0) }, faults: faults) { scene in
            entries = try await scene.session.entries()
        }
        return entries
    }

    /// What `change` makes of the ObjectInfo of every file.
    private func changing(_ change: @escaping @Sendable (inout ObjectInfo) -> Void) -> HostilePersonality {
        HostilePersonality().answering(.getObjectInfo) { request, body in
            guard let object = body.object(ObjectHandle(request.operation.parameter(0))), !object.info.isFolder else {
                return nil
            }
            var info = object.info
            change(&info)
            return .data(info.encoded)
        }
    }

    @Test func aFileDeletedDuringTheListingIsLeftOut() async throws {
        let personality = HostilePersonality().answering(.getObjectInfo) { request, body in
            body.object(ObjectHandle(request.operation.parameter(0)))?.info.name == "B.JPG"
                ? Answer(.invalidObjectHandle) : nil
        }
        let files = ["A.JPG", "B.JPG", "C.JPG"].map { VirtualFile($0, .pattern(seed: 1, size: 10)) }
        let names = try await list(personality, files).map(\.origin.name)
        #expect(names == ["A.JPG", "C.JPG"])
    }

    @Test func aFolderWithASizeIsAFolder() async throws {
        let personality = HostilePersonality().answering(.getObjectInfo) { request, body in
            guard var info = body.object(ObjectHandle(request.operation.parameter(0)))?.info, info.isFolder else {
                return nil
            }
            info.size = 77
            return .data(info.encoded)
        }
        let names = try await list(personality, [VirtualFile("A.JPG", .pattern(seed: 1, size: 10))]).map(\.origin.name)
        #expect(names == ["A.JPG"])
    }

    /// A size of all ones means "more than 32 bits hold"; where nothing says how much, a part must not pass for the
    /// whole.
    @Test func aSizeThatNobodySaysIsNamedAndNotTaken() async throws {
        var personality = changing { $0.size = ObjectInfo.unknownSize }
        personality.info.operations.remove(.getObjectPropValue)
        let entry = try #require(try await list(personality, [VirtualFile("A.MOV", .pattern(seed: 1, size: 10))]).first)
        guard case .unreadable = entry.fate else {
            Issue.record("\(entry.fate)")
            return
        }
    }

    @Test(arguments: [
        ResponseCode(0xA807), 0xA808, .operationNotSupported, .specificationByFormatUnsupported, .generalError,
    ])
    func aBulkListingThatIsRefusedInAnyWayCostsOneRequest(code: ResponseCode) async throws {
        let bench = CameraBench(
            StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x1234, product: 1))
        try await bench.run(.network, faults: [Fault(.refuse(code), on: .getObjectPropList, times: .max)]) { scene in
            let count = try await scene.session.entries().count
            #expect(count == CardFiles.few.count)
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectPropList }.count == 1)
        }
    }

    @Test(arguments: [
        "19700101T000000", "20800101T000000", "20260329T023000", "20261301T120000", "20260501T1200",
        "20260501T120000+1400", "", "nonsense",
    ])
    func aClockThatIsWrongCostsNoFile(date: String) async throws {
        let personality = changing { ($0.captured, $0.modified) = (date, date) }
        let entries = try await list(personality, [VirtualFile("A.JPG", .pattern(seed: 1, size: 10))])
        #expect(entries.map(\.fate) == [.take])
    }

    @Test func namesThatComeAgainAfterTheCounterWrappedAreFilesOfTheirOwn() async throws {
        var entries: [SourceEntry] = []
        let files = ["DCIM/100FILMG", "DCIM/101FILMG"].flatMap { folder in
            ["IMG_9999.JPG", "IMG_0001.JPG"].map { (folder, VirtualFile($0, .pattern(seed: 1, size: 10))) }
        }
        try await HostilePersonality().bench().run(.network, files: files) { scene in
            entries = try await scene.session.entries()
        }
        #expect(Set(entries.map(\.origin.id)).count == 4 && Set(entries.map(\.shot.key)).count == 4)
    }
}
