import CameraTesting
import FilmgateCore
import Foundation
import PTPKit
import Testing

@Suite struct SearchTests {
    static let home = LocalNetwork(own: IPv4(192, 168, 1, 7), mask: IPv4(255, 255, 255, 0))
    static let loopback = LocalNetwork(own: IPv4(127, 0, 0, 9), mask: IPv4(255, 0, 0, 0))

    @Test func addressesAreReadAndWritten() {
        #expect(IPv4("192.168.1.10")?.description == "192.168.1.10")
        for text in ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "a.b.c.d", "1.2.3.-4"] {
            #expect(IPv4(text) == nil, "\(text)")
        }
        #expect(Self.home.key == "subnet:192.168.1.0/255.255.255.0")
        #expect(Self.home.address(7) == nil && Self.home.address(255) == nil && Self.home.address(256) == nil)
        #expect(Self.home.address(1)?.description == "192.168.1.1")
    }

    @Test func likelyPlacesAreAskedFirstAndEachOnce() {
        let candidates = SearchCandidates(
            wanted: [CameraHost("192.168.1.50")], remembered: [CameraHost("192.168.1.9"), CameraHost("192.168.1.50")],
            announced: [CameraHost("192.168.1.3", port: 15741)], networks: [Self.home])
        let hosts = candidates.hosts.compactMap(\.shown)
        #expect(hosts.prefix(4) == ["192.168.1.50", "192.168.1.9", "192.168.1.3:15741", "192.168.1.1"])
        #expect(Set(hosts).count == hosts.count)
        #expect(!hosts.contains("192.168.1.7"))
        #expect(!hosts.contains("192.168.122.1"), "out through a router")
    }

    @Test func aTelephonesHotspotIsAskedWhole() {
        let hotspot = LocalNetwork(own: IPv4(172, 20, 10, 3), mask: IPv4(255, 255, 255, 240))
        let hosts = SearchCandidates(networks: [hotspot]).hosts.map(\.host)
        #expect(hosts.first == "172.20.10.2" && hosts.last == "172.20.10.14" && hosts.count == 12)
    }

    @Test func theSearchIsBounded() {
        let networks = (0..<40).map { LocalNetwork(own: IPv4(10, $0, 0, 77), mask: IPv4(255, 255, 0, 0)) }
        let announced = (0..<200).map { CameraHost("10.0.1.\($0)") }
        #expect(SearchCandidates(announced: announced, networks: networks).hosts.count == 64)
    }

    @Test func whatWasFoundIsRememberedPerNetwork() throws {
        let state = try TemporaryState()
        defer { state.remove() }
        var known = KnownCameras(state: state.path)
        #expect(known.entries == [])
        known.remember(.init(network: Self.home.key, host: CameraHost("192.168.1.9"), label: "Body\t5\n(1)"))
        known.remember(
            .init(network: "subnet:10.0.0.0/255.0.0.0", host: CameraHost("10.0.0.2", port: 99), label: "Other"))
        known.remember(.init(network: Self.home.key, host: CameraHost("192.168.1.11"), label: "Body5(1)"))
        #expect(known.save(state: state.path))
        let read = KnownCameras(state: state.path)
        #expect(read == known)
        #expect(read.hosts(in: [Self.home]).map(\.host) == ["192.168.1.11"])
        for index in 0..<200 { known.remember(.init(network: "n", host: CameraHost("h\(index)"), label: "c\(index)")) }
        #expect(known.entries.count == 64)
        #expect(!known.save(state: state.path + "/not-there"))
    }

    @Test func damagedMemoryIsNoMemory() throws {
        let state = try TemporaryState()
        defer { state.remove() }
        let text =
            "one\nnetwork\thost name\tlabel\nnetwork\t192.168.1.2\tlabel\n\u{0}\t\t\n"
            + String(repeating: "x", count: 100_000)
        try Data(text.utf8).write(to: URL(fileURLWithPath: state.path + "/cameras-on-the-network"))
        #expect(KnownCameras(state: state.path).entries.map(\.host.host) == ["192.168.1.2"])
    }

    @Test func devicesAnswerASearchByUnicast() throws {
        let reply = Array(
            "HTTP/1.1 200 OK\r\nST: upnp:rootdevice\r\nLOCATION: http://127.0.0.1:49152/d.xml\r\n\r\n".utf8)
        let device = try Announcer { _ in [reply, reply, [0xFF], []] }
        defer { device.stop() }
        var found: [String] = []
        Datagrams.ask(SSDP.search(within: 1), device.endpoint, from: [], by: .after(.milliseconds(300))) {
            bytes, sender in
            if let answer = SSDP.read(bytes) { found.append("\(sender) \(answer.location)") }
        }
        #expect(found.count == 2 && found.allSatisfy { $0 == "127.0.0.1 http://127.0.0.1:49152/d.xml" })
        let question = String(decoding: device.questions.first ?? [], as: UTF8.self)
        #expect(
            question.hasPrefix("M-SEARCH * HTTP/1.1\r\n") && question.contains("ST: ssdp:all\r\n")
                && question.hasSuffix("\r\n\r\n"))
    }

    @Test func aSearchBringsTogetherWhatIsRememberedAndWhatIsAnnounced() async throws {
        let state = try TemporaryState()
        defer { state.remove() }
        let camera = try Announcer { _ in [DNSAnswer.camera("Body", at: IPv4(127, 0, 0, 1), port: 4711)] }
        let device = try Announcer { _ in [Array("NOTIFY * HTTP/1.1\r\nNT: a:b\r\n\r\n".utf8)] }
        defer { for announcer in [camera, device] { announcer.stop() } }
        var known = KnownCameras()
        known.remember(.init(network: Self.loopback.key, host: CameraHost("127.0.0.44"), label: "Old"))
        known.save(state: state.path)
        var scope = CameraFinder.SearchScope()
        (scope.networks, scope.mdns, scope.ssdp, scope.patience) = (
            { [Self.loopback] }, camera.endpoint, device.endpoint, .milliseconds(300)
        )
        scope.fresh = .seconds(3600)
        let finder = CameraFinder(state: state.path, scope: scope)
        let hosts = await finder.candidates().compactMap(\.shown)
        #expect(hosts.prefix(3) == ["127.0.0.44", "127.0.0.1:4711", "127.0.0.1"])
        #expect(await finder.candidates().compactMap(\.shown) == hosts)
        #expect(device.questions.count == 1)
        finder.failed("a", .absent(at: "127.0.0.2:15740", .refused))
        finder.failed("a", .absent(at: "127.0.0.2:15740", .refused))
        finder.failed("b", .timedOut("connecting"))
        #expect(
            finder.counters.closed == 1 && finder.counters.silent == 1 && finder.counters.asked == 2
                && finder.counters.announced == 2)
        #expect(finder.recentFailure("a") != nil && finder.recentFailure("c") == nil)
        #expect(finder.counters.advice != nil)
        finder.found(CameraHost("127.0.0.1", port: 4711), "Body (1)")
        #expect(finder.counters.advice == nil)
        #expect(KnownCameras(state: state.path).entries.first?.label == "Body (1)")
    }

    @Test func withoutANetworkTheAdviceSaysSo() async {
        var scope = CameraFinder.SearchScope()
        (scope.networks, scope.mdns, scope.ssdp) = ({ [] }, nil, nil)
        let finder = CameraFinder(state: nil, scope: scope)
        #expect(await finder.candidates() == [])
        #expect(finder.counters.advice?.contains("no network") == true)
    }
}
