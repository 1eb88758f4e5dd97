/// A packet or sidecar being stamped: what it said stays, wherever RDF's many spellings put it.
struct XMPTree {
    private let document: XMLDocument
    private let rdf: XMLElement

    /// Reads a packet or a sidecar, with or without its wrappers.
    init(_ bytes: [UInt8]) throws(StampFault) {
        document = try XMLDocument(Self.trimmed(bytes))
        guard let rdf = Self.rdf(in: document.root) else { throw StampFault("its XMP holds no RDF") }
        self.rdf = rdf
    }

    /// An empty one.
    static func empty() throws(StampFault) -> XMPTree {
        let text = "<x:xmpmeta xmlns:x=\"\(XMPProperty.meta)\"><rdf:RDF xmlns:rdf=\"\(XMPProperty.rdf)\">"
        return try XMPTree(Array((text + "<rdf:Description rdf:about=\"\"/></rdf:RDF></x:xmpmeta>").utf8))
    }

    /// Packets are padded with blanks and, by some cameras, with zeros.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        // UTF-16 ends in half a zero.
        let isWide = bytes.count > 1 && (bytes[0] == 0xFE && bytes[1] == 0xFF || bytes[0] == 0xFF && bytes[1] == 0xFE)
        return isWide ? bytes : Array(bytes[..<end])
    }

    private static func rdf(in root: XMLElement?) -> XMLElement? {
        let name = XMLName(XMPProperty.rdf, "RDF")
        guard let root else { return nil }
        return root.name == name ? root : root.children(name).first
    }

    private var descriptions: [XMLElement] { rdf.children(XMLName(XMPProperty.rdf, "Description")) }

    /// The texts of a property: one for plain ones, all entries of lists; of languages only the default.
    ///
    /// Blanks count as nothing.
    func values(_ name: XMLName) -> [String] {
        for description in descriptions {
            if let value = description.attribute(name), !Self.isBlank(value) { return [value] }
            for element in description.children(name) {
                let entries = element.children.flatMap(\.children)
                let values = (entries.isEmpty ? [element.text] : entries.map(\.text)).filter { !Self.isBlank($0) }
                if !values.isEmpty { return values }
            }
        }
        return []
    }

    /// Replaces a property, wherever it stood.
    func set(_ name: XMLName, _ values: [String]) {
        remove(name)
        guard !values.isEmpty, let home = home else { return }
        let prefix = XMPProperty.prefix(name)
        switch XMPProperty.shape(name) {
        case .text: home.add(name, prefix: prefix, text: values[0])
        case .list(let kind): fill(home.add(name, prefix: prefix), kind, values)
        case .languages: fill(home.add(name, prefix: prefix), "Alt", [values[0]])
        }
    }

    func remove(_ name: XMLName) {
        for description in descriptions {
            description.remove(attribute: name)
            for element in description.children(name) { element.remove() }
        }
    }

    private var home: XMLElement? {
        if let first = descriptions.first { return first }
        let made = rdf.add(XMLName(XMPProperty.rdf, "Description"), prefix: "rdf")
        made?.set(attribute: XMLName(XMPProperty.rdf, "about"), "", prefix: "rdf")
        return made
    }

    private func fill(_ property: XMLElement?, _ kind: String, _ values: [String]) {
        let list = property?.add(XMLName(XMPProperty.rdf, kind), prefix: "rdf")
        for value in values {
            let item = list?.add(XMLName(XMPProperty.rdf, "li"), prefix: "rdf", text: value)
            if kind == "Alt" { item?.set(attribute: XMLName(XMPProperty.xml, "lang"), "x-default", prefix: "xml") }
        }
    }

    private static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.value == 0 }
    }

    /// The tree alone, UTF-8, as the extension of a packet holds it.
    var bare: [UInt8] { document.text }

    /// A whole packet, UTF-8, with its wrapper.
    func packet(writable: Bool) -> [UInt8] {
        let head = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
        return Array(head.utf8) + document.text + Array("<?xpacket end=\"\(writable ? "w" : "r")\"?>".utf8)
    }
}
