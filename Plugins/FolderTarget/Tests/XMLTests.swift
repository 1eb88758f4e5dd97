import FilmgateCore
import Testing

@testable import FolderTarget

@Suite struct XMLTests {
    /// Everything that a document tells, in order; nil when it is refused.
    static func events(_ text: String) -> [ManifestXMLScanner.Event]? {
        var scanner = ManifestXMLScanner(Array(text.utf8)), events: [ManifestXMLScanner.Event] = []
        do throws(IngestError) {
            while let event = try scanner.next() { events.append(event) }
            return events
        } catch {
            #expect(error.code == .corruptData)
            return nil
        }
    }

    @Test func tellsWhatBeginsAndEnds() {
        let found = Self.events(
            "<?xml version=\"1.0\"?><!-- <x> --><m:a k='1&amp;' xmlns=\"u\">t&lt;&#x20;&#65;<b/>u<![CDATA[<&]]></m:a>\n")
        #expect(
            found == [.begin("a", ["k": "1&", "xmlns": "u"]), .begin("b", [:]), .end("b", ""), .end("a", "t< Au<&")])
    }

    @Test(arguments: [
        "<a>", "</a>", "<a></b>", "<a", "<a k>", "<a k=v/>", "<a k=\"v/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a>&b;</a>",
        "<a>&#xD800;</a>",
        "<a>&</a>", "<a>&#99999999999999999999;</a>", "<!-- ", "<a><![CDATA[", "<>", "< a/>", "<a>\u{0}</a", "&", "<",
        String(repeating: "<a>", count: 65),
    ])
    func damageIsRefused(text: String) {
        // Text outside the root element is skipped: only what is inside counts.
        #expect(Self.events(text) == nil || text == "&")
    }

    @Test func everyCutAndEveryFlipEndsSoundly() {
        let sample = Array(sampleText.utf8)
        for index in sample.indices {
            _ = Self.events(String(decoding: sample[..<index], as: UTF8.self))
            for bit in 0..<8 {
                var flipped = sample
                flipped[index] ^= 1 << bit
                var scanner = ManifestXMLScanner(flipped), count = 0
                while let event = try? scanner.next(), count < 10_000 {
                    _ = event
                    count += 1
                }
                #expect(count < 10_000)
            }
        }
    }

    private let sampleText =
        "<?xml version=\"1.0\"?><hashlist v='2'><!--c--><hashes><hash><path size=\"1\">a&amp;b</path><xxh128>00</xxh128></hash></hashes></hashlist>"

    @Test(arguments: ["a&b<c>\"d'.jpg", " x ", "a\nb\tc\rd", "🌄é", "]]>", "\u{85}\u{2028}", "\u{FFFD}"])
    func textComesBack(text: String) {
        #expect(XMLEscaping.canHold(text))
        let found = Self.events("<a k=\"\(XMLEscaping.escaped(text))\">\(XMLEscaping.escaped(text))</a>")
        #expect(found == [.begin("a", ["k": text]), .end("a", text)])
    }

    @Test(arguments: ["\u{0}", "\u{1B}[2J", "\u{FFFE}", "a\u{FFFF}", "\u{10FFFF}", "\u{10FF80}x"])
    func someTextCannotBeHeld(text: String) { #expect(!XMLEscaping.canHold(text)) }
}
