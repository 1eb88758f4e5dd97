/// A sidecar as RAW editors write it (ISO 16684-1): a rating and a label for the picture beside it.
enum XMPSidecar {
    static func bytes(for name: String, rating: Int, label: String) -> [UInt8] {
        Array(
            """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
                xmp:Rating="\(rating)" xmp:Label="\(label)" xmpMM:PreservedFileName="\(name)"/>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>

            """.utf8)
    }
}
