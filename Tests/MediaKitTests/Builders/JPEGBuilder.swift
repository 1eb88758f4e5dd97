/// Builds JPEGs for tests; the scan holds noise, not a picture.
struct JPEGBuilder {
    var segments: [(marker: UInt8, body: [UInt8])] = []
    var width = 6000, height = 4000
    var scan: [UInt8] = (0..<300).map { UInt8($0 % 251) }
    var hasEnd = true
    var trailer: [UInt8] = []

    static func camera(_ tiff: [UInt8] = TIFFBuilder.camera().build(), xmp: String? = nil) -> JPEGBuilder {
        var jpeg = JPEGBuilder()
        jpeg.segments = [(0xE1, ascii("Exif\0\0") ++ tiff)]
        if let xmp { jpeg.segments.append((0xE1, ascii("http://ns.adobe.com/xap/1.0/\0") ++ ascii(xmp))) }
        return jpeg
    }

    func build() -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for (marker, body) in segments { bytes += [0xFF, marker] ++ be16(body.count + 2) ++ body }
        bytes += [0xFF, 0xC0] ++ be16(11) ++ [8] ++ be16(height) ++ be16(width) ++ [1, 1, 0x11, 0]
        bytes += [0xFF, 0xDA] ++ be16(8) ++ [1, 1, 0, 0, 63, 0] ++ scan
        return bytes + (hasEnd ? [0xFF, 0xD9] : []) ++ trailer
    }
}

/// An XMP packet with these attributes on its description and these elements in it.
func xmpPacket(attributes: String = "", elements: String = "") -> String {
    """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <!-- comment > --><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
     xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" xmlns:dc="http://purl.org/dc/elements/1.1/"
     \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """
}
