import FilmgateCore
import Foundation
import StampKit
import Testing

@Suite struct SidecarTests {
    @Test(.enabled(if: Tool.hasExiftool)) func madeOneIsRead() throws {
        let scratch = try Scratch()
        var stamp = JPEGTests.stamp
        stamp.captured = CivilTime("2026-05-01T12:30:05+02:00")
        let facts = try Tool.facts(scratch.write("a.xmp", try XMPSidecar.made(stamp)))
        #expect(
            facts["XMP:Creator"] as? [String] == ["Ann Øster"]
                && facts["XMP:Event"] as? String == "Smith & Sons <wedding>")
        #expect(facts["XMP:DateCreated"] as? String == "2026:05:01 12:30:05+02:00")
    }

    @Test(
        .enabled(if: Tool.hasExiftool),
        arguments: [
            "<rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='5' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
                + "<dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject></rdf:Description>",
            "<rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/'><xmp:Rating>5</xmp:Rating></rdf:Description>"
                + "<rdf:Description xmlns:q='http://purl.org/dc/elements/1.1/'><q:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></q:subject></rdf:Description>",
        ])
    func existingOneIsMerged(_ body: String) throws {
        let scratch = try Scratch()
        let text =
            "<?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
            + "xmlns:dc='urn:other'>\(body)</rdf:RDF><?xpacket end='w'?>"
        let merged = try XMPSidecar.merged(Array(text.utf8), JPEGTests.stamp)
        let facts = try Tool.facts(scratch.write("a.xmp", merged))
        #expect(
            facts["XMP:Rating"] as? Int == 5 && facts["XMP:Creator"] as? [String] == ["Ann Øster"],
            "\(String(decoding: merged, as: UTF8.self))")
        #expect(facts["XMP:Subject"] as? [String] == ["one", "wedding", "Åse"])
        #expect(try XMPSidecar.merged(merged, JPEGTests.stamp) == merged)
    }
}
