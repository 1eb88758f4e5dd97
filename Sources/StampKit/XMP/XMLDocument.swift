import CXML2
import XMLKit

/// A tree of XML owned by libxml2; freed with this object.
final class XMLDocument {
    /// No packet or sidecar is larger; what is, was not made by software for photographs.
    static let limit = 8 << 20
    let pointer: xmlDocPtr

    /// Throws for what is too large, not well-formed, or brings a document type (and with it entities that could grow
    /// without end).
    init(_ bytes: [UInt8]) throws(StampFault) {
        do throws(XMLFault) { pointer = try XMLParsing.tree(bytes, upTo: Self.limit) } catch {
            switch error {
            case .tooLarge: throw StampFault("its XMP is larger than \(Self.limit >> 20) MiB")
            case .documentType: throw StampFault("its XMP brings a document type, which no XMP has")
            case .tooDeep, .malformed: throw StampFault("its XMP is not well-formed")
            }
        }
    }

    deinit { xmlFreeDoc(pointer) }

    var root: XMLElement? { xmlDocGetRootElement(pointer).map { XMLElement($0, self) } }

    /// The tree as UTF-8, without declaration and without `<?xpacket …?>`.
    var text: [UInt8] {
        guard let buffer = xmlBufferCreate() else { return [] }
        defer { xmlBufferFree(buffer) }
        var node = pointer.pointee.children
        while let current = node {
            let isWrapper =
                current.pointee.type == XML_PI_NODE && current.pointee.name.map { String(cString: $0) } == "xpacket"
            if !isWrapper {
                xmlNodeDump(buffer, pointer, current, 0, 0)
                xmlBufferAdd(buffer, "\n", 1)
            }
            node = current.pointee.next
        }
        return Array(UnsafeBufferPointer(start: xmlBufferContent(buffer), count: Int(xmlBufferLength(buffer))))
    }
}
