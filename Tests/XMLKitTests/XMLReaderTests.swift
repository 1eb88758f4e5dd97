import Testing
import XMLKit

@Suite struct XMLReaderTests {
    /// Everything that a document tells, in order; nil when it is refused.
    static func events(_ text: String) -> [XMLReader.Event]? {
        var events: [XMLReader.Event] = []
        do throws(XMLFault) { try XMLReader.read(Array(text.utf8), upTo: 1 << 20) { events.append($0) } } catch {
            return nil
        }
        return events
    }

    static func fault(_ text: String, limit: Int = 1 << 20) -> XMLFault? {
        do throws(XMLFault) { try XMLReader.read(Array(text.utf8), upTo: limit) { _ in } } catch { return error }
        return nil
    }

    @Test func tellsWhatBeginsAndEnds() {
        let found = Self.events(
            "<?xml version=\"1.0\"?><!-- <x> --><m:a k='1&amp;' xmlns=\"u\">t&lt;&#x20;&#65;<b/>u<![CDATA[<&]]></m:a>\n"
        )
        #expect(
            found == [.begin("a", ["k": "1&"]), .begin("b", [:]), .end("b", ""), .end("a", "t< Au<&")])
    }

    @Test(arguments: [
        "<a>", "</a>", "<a></b>", "<a", "<a k>", "<a k=v/>", "<a k=\"v/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>",
        "<a>&b;</a>", "<a>&#xD800;</a>", "<a>&</a>", "<a>&#99999999999999999999;</a>", "<!-- ", "<a><![CDATA[", "<>",
        "< a/>", "<a>\u{0}</a", "&", "<", String(repeating: "<a>", count: 65),
    ])
    func damageIsRefused(text: String) { #expect(Self.events(text) == nil) }

    @Test func tellsWhatIsWrong() {
        #expect(Self.fault("<a>\n<b></a>") == .malformed(line: 2))
        #expect(Self.fault(String(repeating: "<a>", count: 65)) == .tooDeep)
        #expect(Self.fault("<a>123456</a>", limit: 12) == .tooLarge)
        #expect(Self.fault("") == .malformed(line: 1))
    }

    /// Neither what it defines nor what it points to is ever looked at, and nothing of the document is told.
    @Test(arguments: [
        "<!DOCTYPE html>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>",
        "<!DOCTYPE a PUBLIC 'a' 'http://127.0.0.1:9/a.dtd'>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>",
        "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;'>]>",
    ])
    func documentTypesAreRefused(type: String) {
        var count = 0
        #expect(throws: XMLFault.documentType) {
            try XMLReader.read(Array((type + "<a>&c;</a>").utf8), upTo: 1 << 20) { _ in count += 1 }
        }
        #expect(count == 0)
    }

    @Test func everyCutAndEveryFlipEndsSoundly() {
        let sample = Array(sampleText.utf8)
        for index in sample.indices {
            _ = Self.events(String(decoding: sample[..<index], as: UTF8.self))
            for bit in 0..<8 {
                var flipped = sample
                flipped[index] ^= 1 << bit
                var count = 0
                try? XMLReader.read(flipped, upTo: 1 << 20) { _ in count += 1 }
                #expect(count <= sample.count)
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
