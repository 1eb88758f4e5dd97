import Testing
import USBKit

@Suite struct DescriptorsTests {
    /// As a camera shows them: the device's, one configuration, one still image interface with three endpoints.
    static let camera: [UInt8] =
        [18, 1, 0, 2, 0, 0, 0, 64, 0xA9, 0x04, 0xC0, 0x31, 2, 0, 1, 2, 3, 1]
        + [9, 2, 39, 0, 1, 1, 0, 0xC0, 1] + [9, 4, 0, 0, 3, 6, 1, 1, 0]
        + [7, 5, 0x81, 2, 0x00, 0x02, 0] + [7, 5, 0x02, 2, 0x00, 0x02, 0] + [7, 5, 0x83, 3, 8, 0, 9]

    @Test func aCamerasInterfaceAndItsEndpoints() throws {
        let interface = try #require(Descriptors.interfaces(Self.camera, active: 1).first)
        #expect(interface.kind == .stillImage)
        #expect(interface.endpoint(.bulk, isIn: true) == USBEndpoint(address: 0x81, kind: .bulk, packetSize: 512))
        #expect(interface.endpoint(.bulk, isIn: false)?.address == 0x02)
        #expect(interface.endpoint(.interrupt, isIn: true)?.packetSize == 8)
    }

    @Test func onlyTheActiveConfigurationCounts() {
        #expect(Descriptors.interfaces(Self.camera, active: 2) == [])
        #expect(Descriptors.interfaces(Self.camera, active: nil).count == 1)
        let second: [UInt8] = [9, 2, 18, 0, 1, 2, 0, 0xC0, 1] + [9, 4, 7, 1, 0, 8, 6, 80, 0]
        #expect(Descriptors.interfaces(Self.camera + second, active: 2).map(\.number) == [7])
        #expect(Descriptors.interfaces(Self.camera + second, active: nil).map(\.number) == [0])
    }

    @Test func everyPrefixIsReadWithoutHarm() {
        for count in 0...Self.camera.count {
            let found = Descriptors.interfaces(Array(Self.camera.prefix(count)), active: 1)
            #expect(found.count == (count >= 36 ? 1 : 0))
        }
    }

    @Test(arguments: [[0, 4], [1, 4], [255, 4, 0], [9, 4], [7, 5, 0x81, 2, 0, 2, 0]] as [[UInt8]])
    func damagedLengthsEndTheReading(_ bytes: [UInt8]) {
        #expect(Descriptors.interfaces(bytes, active: nil) == [])
        let damaged = Descriptors.interfaces(Self.camera + bytes + Self.camera, active: 1)
        #expect(damaged.count >= 1 && damaged[0].kind == .stillImage)
    }

    @Test func endlessDescriptorsAreCutOff() {
        let interfaces = (0..<4000).flatMap { _ in [9, 4, 0, 0, 0, 6, 1, 1, 0] as [UInt8] }
        #expect(Descriptors.interfaces(Self.camera + interfaces, active: 1).count <= 256)
        let endpoints = (0..<4000).flatMap { _ in [7, 5, 0x81, 2, 0, 2, 0] as [UInt8] }
        #expect(Descriptors.interfaces(Self.camera + endpoints, active: 1)[0].endpoints.count <= 32)
    }
}
