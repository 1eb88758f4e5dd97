import CameraTesting
import PTPKit
import Testing

@Suite struct AnnouncementTests {
    static let camera = DNSAnswer.camera("Z_8_123", at: IPv4(192, 168, 1, 5), port: 15740)

    private func offers(_ bytes: [UInt8]) -> [MulticastDNS.Offer] { MulticastDNS.offers(bytes.span.bytes) }

    @Test func aCamerasOfferIsRead() {
        let offers = offers(Self.camera)
        #expect(offers.map(\.name) == ["Z_8_123._ptp._tcp.local"])
        #expect(offers.first?.port == 15740 && offers.first?.address == IPv4(192, 168, 1, 5))
    }

    @Test func namesMayPointBackwards() {
        // The owner at 12; the instance is a label and a pointer to it.
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0]
        let pointer = DNSAnswer.record(DNSAnswer.name("_ptp._tcp.local"), 12, [1, 0x41, 0xC0, 12])
        let service = DNSAnswer.record([1, 0x41, 0xC0, 12], 33, [0, 0, 0, 0, 0x3D, 0x7C, 0xC0, 12])
        #expect(offers(head + pointer + service).map(\.port) == [15740])
        #expect(offers(head + pointer + service).first?.address == nil)
    }

    @Test func everyPrefixAndEveryChangedByteIsReadWithoutHarm() {
        for count in 0..<Self.camera.count { #expect(offers(Array(Self.camera.prefix(count))) == []) }
        for index in Self.camera.indices {
            for value in [0x00, 0x3F, 0x7F, 0xC0, 0xFF] as [UInt8] {
                var changed = Self.camera
                changed[index] = value
                _ = offers(changed)
            }
        }
    }

    @Test func namesThatLeadInCirclesEnd() {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        for name in [[0xC0, 12], [0xC0, 14, 0xC0, 12], [1, 0x41, 0xC0, 12], [0xFF, 0xFF], [0x80]] as [[UInt8]] {
            #expect(offers(head + DNSAnswer.record(name, 12, name)) == [])
        }
    }

    @Test func questionsAndForeignServicesAreNoOffers() {
        #expect(offers(MulticastDNS.question()) == [])
        let other = DNSAnswer.message([
            DNSAnswer.record(DNSAnswer.name("_ipp._tcp.local"), 12, DNSAnswer.name("P._ipp._tcp.local"))
        ])
        #expect(offers(other) == [])
        #expect(offers([0, 0, 0x84, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) == [])
    }

    @Test func theQuestionAsksForPTPAndAUnicastAnswer() {
        let question = MulticastDNS.question()
        #expect(Array(question.suffix(4)) == [0, 12, 0x80, 1])
        #expect(question[12] == 4 && Array(question[13..<17]) == Array("_ptp".utf8))
    }

    @Test func announcementsAreReadWhateverTheirCase() {
        let text =
            "NOTIFY * HTTP/1.1\r\nnt: urn:x\r\nLocation:http://192.168.1.2:49152/a.xml\r\nUSN: uuid:1\r\nNTS: ssdp:alive\r\n\r\n"
        let answer = SSDP.read(Array(text.utf8).span.bytes)
        #expect(
            answer?.service == "urn:x" && answer?.location == "http://192.168.1.2:49152/a.xml"
                && answer?.name == "uuid:1")
    }

    @Test(arguments: [
        "", "HTTP/1.1 404 Not Found\r\nST: a\r\n\r\n", "M-SEARCH * HTTP/1.1\r\nST: ssdp:all\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "NOTIFY * HTTP/1.1\r\nNT: a\r\nNTS: ssdp:byebye\r\n\r\n",
        "HTTP/1.1 200 OK\r\n:\r\n::::\r\n",
    ]) func otherDatagramsAreNothing(_ text: String) { #expect(SSDP.read(Array(text.utf8).span.bytes) == nil) }
}
