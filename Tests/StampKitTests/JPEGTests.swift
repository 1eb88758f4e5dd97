import Foundation
import StampKit
import Testing

@Suite struct JPEGTests {
    static var stamp: Stamp {
        var stamp = Stamp()
        stamp.creators = ["Ann Øster"]
        (stamp.copyright, stamp.event, stamp.caption) = (
            "© 2026 Ann Øster", "Smith & Sons <wedding>", "Line one\nline \"two\" \u{1}"
        )
        stamp.keywords = ["wedding", "Åse", "Wedding"]
        return stamp
    }

    private func stamped(_ bytes: [UInt8], _ stamp: Stamp = Self.stamp) throws -> [UInt8] {
        let result = try #require(try StampedJPEG(bytes, stamp))
        return result.head + bytes[Int(result.rest)...]
    }

    @Test(.enabled(if: Tool.hasExiftool)) func readByExiftool() throws {
        let scratch = try Scratch()
        let facts = try Tool.facts(scratch.write("a.jpg", try stamped(Picture.tiny)))
        #expect(facts["XMP:Creator"] as? [String] == ["Ann Øster"])
        #expect(facts["XMP:Rights"] as? String == "© 2026 Ann Øster")
        #expect(facts["XMP:Event"] as? String == "Smith & Sons <wedding>")
        #expect(facts["XMP:Description"] as? String == "Line one\nline \"two\" ")
        #expect(facts["XMP:Subject"] as? [String] == ["wedding", "Åse"])
        #expect(facts["XMP:Marked"] as? Bool == true)
        #expect(facts["IPTC:By-line"] as? String == "Ann Øster")
        #expect(facts["IPTC:CopyrightNotice"] as? String == "© 2026 Ann Øster")
        #expect(facts["IPTC:Keywords"] as? [String] == ["wedding", "Åse"])
        #expect(facts["IPTC:CodedCharacterSet"] as? String == "UTF8")
    }

    @Test(.enabled(if: Tool.hasExiv2)) func readByExiv2() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", try stamped(Picture.tiny))
        let text = String(decoding: try Tool.run("exiv2", ["-PEIXkyt", path]), as: UTF8.self)
        #expect(
            text.contains("Xmp.dc.creator") && text.contains("Iptc.Application2.Byline") && text.contains("Ann Øster"))
        #expect(text.contains("Xmp.iptcExt.Event"))
    }

    @Test(.enabled(if: Tool.hasExiftool)) func nothingButMetadataChanges() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", try stamped(Picture.tiny))
        try Tool.run("exiftool", ["-q", "-overwrite_original", "-all=", path])
        let plain = try scratch.write("b.jpg", Picture.tiny)
        try Tool.run("exiftool", ["-q", "-overwrite_original", "-all=", plain])
        #expect(try scratch.read(path) == scratch.read(plain))
    }

    @Test(.enabled(if: Tool.hasExiftool)) func whatWasThereStays() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", Picture.tiny)
        try Tool.run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-XMP:Rating=4", "-XMP-dc:Creator=Body Owner", "-XMP-dc:Subject=first",
                "-IPTC:Keywords=first", "-XMP-dc:Description-de=Hochzeit", "-IPTC:City=Troms\u{F8}",
                "-IPTC:By-line=Body Owner", "-EXIF:Artist=Body Owner", "-Photoshop:URL=https://ann.example/", path,
            ])
        let facts = try Tool.facts(scratch.write("b.jpg", try stamped(scratch.read(path))), [])
        #expect(facts["XMP:Rating"] as? Int == 4 && facts["XMP:Creator"] as? [String] == ["Body Owner"])
        #expect(facts["XMP:Subject"] as? [String] == ["first", "wedding", "Åse"])
        #expect(facts["IPTC:Keywords"] as? [String] == ["first", "wedding", "Åse"])
        #expect(facts["IPTC:City"] as? String == "Tromsø" && facts["IPTC:By-line"] as? String == "Body Owner")
        #expect(
            facts["EXIF:Artist"] as? String == "Body Owner"
                && facts["Photoshop:URL"] as? String == "https://ann.example/")
        #expect(facts["XMP:Rights"] as? String == "© 2026 Ann Øster")
    }

    @Test(.enabled(if: Tool.hasExiftool)) func replacesWhereAsked() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", Picture.tiny)
        try Tool.run("exiftool", ["-q", "-overwrite_original", "-XMP-dc:Creator=Rental", "-IPTC:By-line=Rental", path])
        var stamp = Self.stamp
        stamp.replaces = true
        let facts = try Tool.facts(scratch.write("b.jpg", try stamped(scratch.read(path), stamp)))
        #expect(facts["XMP:Creator"] as? [String] == ["Ann Øster"] && facts["IPTC:By-line"] as? String == "Ann Øster")
    }

    @Test(.enabled(if: Tool.hasExiftool)) func twiceIsOnce() throws {
        let once = try stamped(Picture.tiny)
        #expect(try stamped(once) == once)
    }

    @Test(.enabled(if: Tool.hasExiftool)) func extendedXMPStays() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", Picture.tiny)
        let long = String(repeating: "many words ", count: 9000)
        try Data(long.utf8).write(to: URL(fileURLWithPath: scratch.path + "/long.txt"))
        try Tool.run(
            "exiftool",
            ["-q", "-overwrite_original", "-XMP:Rating=3", "-XMP-photoshop:History<=\(scratch.path)/long.txt", path])
        let before = try Tool.facts(path)
        #expect(before["XMP:HasExtendedXMP"] != nil)
        let after = try Tool.facts(scratch.write("b.jpg", try stamped(scratch.read(path))))
        #expect(after["XMP:HasExtendedXMP"] as? String == before["XMP:HasExtendedXMP"] as? String)
        #expect(after["XMP:History"] as? String == long && after["XMP:Creator"] as? [String] == ["Ann Øster"])
    }

    @Test(.enabled(if: Tool.hasExiftool)) func aFullPacketIsSplit() throws {
        let scratch = try Scratch(), path = try scratch.write("a.jpg", Picture.tiny)
        let long = String(repeating: "w", count: 64_000)
        let packet =
            "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
            + "xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' photoshop:History='\(long)'/></rdf:RDF></x:xmpmeta>"
        let body = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8), size = body.count + 2
        let full = Picture.tiny[..<20] + [0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + body + Picture.tiny[20...]
        _ = path
        let facts = try Tool.facts(scratch.write("b.jpg", try stamped(Array(full))))
        #expect(facts["XMP:History"] as? String == long && facts["XMP:Creator"] as? [String] == ["Ann Øster"])
        let warning = try Tool.facts(scratch.path + "/b.jpg", ["-Warning", "-validate"])
        #expect(warning["ExifTool:Warning"] == nil, "\(warning)")
    }
}
