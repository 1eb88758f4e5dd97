import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct XMPTests {
    private func facts(_ text: String) -> MediaFacts { reading(ascii(text), "A.xmp").facts }

    @Test(arguments: [
        (#"xmp:Rating="3""#, ""), ("", "<xmp:Rating>3</xmp:Rating>"), ("", "<xmp:Rating>\n 3.0 </xmp:Rating>"),
        ("xmp:Rating = '3'", ""),
    ])
    func ratingInEveryForm(_ attributes: String, _ elements: String) {
        #expect(facts(xmpPacket(attributes: attributes, elements: elements)).rating == 3)
    }

    @Test func prefixesAreOnlyNames() {
        let text = xmpPacket(attributes: #"xmlns:q="http://ns.adobe.com/xap/1.0/" q:Rating="2""#).replacing(
            "xmp:Rating", with: "x")
        #expect(facts(text).rating == 2)
        #expect(facts(#"<rdf:RDF xmlns:xmp="urn:other"><a xmp:Rating="2"/></rdf:RDF>"#).rating == nil)
    }

    @Test(arguments: ["7", "-2", "", "many", "1e300", "nan"]) func ratingsOutOfRangeAreNone(_ value: String) {
        #expect(facts(xmpPacket(attributes: "xmp:Rating=\"\(value)\"")).rating == nil)
    }

    @Test func otherFacts() {
        let facts = facts(
            xmpPacket(
                attributes:
                    #"aux:SerialNumber="77" exif:ExposureTime="1/60" exif:GPSLatitude="59,54.6N" exif:GPSLongitude="10,45,0W""#,
                elements: """
                    <exif:DateTimeOriginal>2026-05-01T12:30:05.50+02:00</exif:DateTimeOriginal><dc:creator><rdf:Seq><rdf:li>Ann &amp; Bo &#xE9;</rdf:li>
                    <rdf:li>Other</rdf:li></rdf:Seq></dc:creator><![CDATA[ <xmp:Rating>5</xmp:Rating> ]]>
                    """))
        #expect(
            facts.serial == "77" && facts.exposureTime == Rational(1, 60) && facts.artist == "Ann & Bo é"
                && facts.rating == nil)
        #expect(facts.captured?.description == "2026-05-01T12:30:05.5+02:00")
        #expect(facts.position == .init(latitude: 59.91, longitude: -10.75))
    }

    @Test func wideTextIsRead() {
        let units = xmpPacket(attributes: #"xmp:Rating="4""#).utf16.dropFirst(0).flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        var xmp = MediaFacts()
        xmp.fill(fromXMP: Bytes([0xFF, 0xFE] ++ units))
        #expect(xmp.rating == 4)
    }

    @Test(arguments: [
        "<", "<a", "<a b", "<a b=", "<a b='", "</", "<!", "<!--", "<![CDATA[", "<?", "<a/", "&", "<<<<", "<a =''/>",
        "<a 'b'/>",
    ])
    func brokenMarkupEnds(_ text: String) {
        var scanner = XMLScanner(Bytes(ascii(text)))
        var events = 0
        while scanner.next() != nil { events += 1 }
        #expect(events <= text.utf8.count)
    }
}
