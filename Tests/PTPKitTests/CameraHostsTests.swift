import FilmgateCore
import PTPKit
import Testing

@Suite struct CameraHostsTests {
    private func node(_ text: String) -> ConfigNode { ConfigNode(.scalar(text, quoted: false)) }

    @Test func addressesAndAutoAreRead() throws {
        let found = try CameraHosts(node: node("auto"))
        #expect(found.isAuto && found.given == [] && found.shown == "auto")
        let both = try CameraHosts(node: ConfigNode(.list([node("192.168.1.2:15741"), node("auto")])))
        #expect(
            both.isAuto && both.given == [CameraHost("192.168.1.2", port: 15741)]
                && both.shown == "[192.168.1.2:15741, auto]")
        #expect(try CameraHosts(node: ConfigNode(.list([]))) == CameraHosts())
        #expect(CameraHosts().shown == nil)
        let single = try CameraHosts(node: node("192.168.1.2"))
        #expect(!single.isAuto && single.given == [CameraHost("192.168.1.2")])
    }

    @Test func otherValuesAreRefused() {
        #expect(throws: ConfigError.self) { _ = try CameraHosts(node: node("not a host")) }
        #expect(throws: ConfigError.self) { _ = try CameraHosts(node: ConfigNode(.list([node("not a host")]))) }
        #expect(throws: ConfigError.self) { _ = try CameraHosts(node: ConfigNode(.map([]))) }
    }
}
