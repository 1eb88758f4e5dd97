import StampKit
import Testing

@Suite struct HostileTests {
    private static let wrap = (
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>",
        "</rdf:RDF></x:xmpmeta>"
    )

    @Test(arguments: [
        "", "no XML", "<a/>", "<x:xmpmeta xmlns:x='adobe:ns:meta/'>", wrap.0 + "<rdf:Description>" + wrap.1,
        "<!DOCTYPE a [<!ENTITY b 'bbbb'>]>" + wrap.0 + wrap.1,
        "<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;'>]>"
            + wrap.0 + "<rdf:Description>&c;</rdf:Description>" + wrap.1,
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>" + wrap.0 + wrap.1,
        wrap.0 + String(repeating: "<a>", count: 5000) + wrap.1,
    ])
    func isLeftAlone(_ text: String) {
        #expect(throws: StampFault.self) { try XMPSidecar.merged(Array(text.utf8), JPEGTests.stamp) }
    }

    @Test func tooLargeIsLeftAlone() {
        let text = Self.wrap.0 + "<!--" + String(repeating: "x", count: 9 << 20) + "-->" + Self.wrap.1
        #expect(throws: StampFault.self) { try XMPSidecar.merged(Array(text.utf8), JPEGTests.stamp) }
    }

    /// Cut anywhere, and changed anywhere: an answer or an error, never a crash.
    @Test func damagedPicturesNeverCrash() throws {
        let whole = try #require(try StampedJPEG(Picture.tiny, JPEGTests.stamp))
        let bytes = whole.head + Picture.tiny[Int(whole.rest)...]
        for end in 0..<bytes.count { _ = try? StampedJPEG(Array(bytes[..<end]), JPEGTests.stamp) }
        for index in bytes.indices {
            for value: UInt8 in [0, 0x1C, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = value
                _ = try? StampedJPEG(changed, JPEGTests.stamp)
            }
        }
    }

    @Test(arguments: ["GIF89a", "\u{0}\u{0}\u{0}\u{0}"]) func otherFilesAreRefused(_ text: String) {
        #expect(throws: StampFault.self) { try StampedJPEG(Array(text.utf8), JPEGTests.stamp) }
    }
}
