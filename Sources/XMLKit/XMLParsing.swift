package import CXML2

/// Why a document is not taken.
package enum XMLFault: Error, Equatable {
    case tooLarge, tooDeep, documentType
    /// Where it stops being XML, by lines from 1 on.
    case malformed(line: Int)

    /// A clause that begins with "it".
    package var reason: String {
        switch self {
        case .tooLarge: "it is too large"
        case .tooDeep: "its elements are nested too deep"
        case .documentType: "it declares a document type"
        case .malformed(let line): "it is not well-formed at line \(line)"
        }
    }
}

/// The one place where foreign XML meets libxml2: from memory, without network, document types and entities, whatever
/// the text asks for.
package enum XMLParsing {
    /// The document as a tree, which the caller frees; a document type is refused before anything of it is read.
    ///
    /// `prepare` may change what libxml2 calls meanwhile. libxml2's own limits hold too: 256 elements deep, 10 MB in
    /// one text.
    package static func tree(
        _ bytes: [UInt8], upTo limit: Int, options: xmlParserOption = XML_PARSE_COMPACT,
        prepare: (xmlParserCtxtPtr) -> Void = { _ in }
    ) throws(XMLFault) -> xmlDocPtr {
        // libxml2 counts in 32 bits.
        guard bytes.count <= min(limit, Int(Int32.max)) else { throw .tooLarge }
        initialized
        guard let context = xmlNewParserCtxt(), let sax = context.pointee.sax else { throw .malformed(line: 1) }
        defer { xmlFreeParserCtxt(context) }
        sax.pointee.serror = { _, _ in }
        // With a document type come entities that grow without end, and files from elsewhere.
        sax.pointee.internalSubset = { context, _, _, _ in
            xmlStopParser(context?.assumingMemoryBound(to: xmlParserCtxt.self))
        }
        prepare(context)
        let made = bytes.withUnsafeBytes {
            xmlCtxtReadMemory(
                context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), nil, nil,
                Int32(XML_PARSE_NONET.rawValue | options.rawValue))
        }
        if let made, context.pointee.errNo != Int32(XML_ERR_USER_STOP.rawValue) { return made }
        xmlFreeDoc(made)
        if made != nil { throw .documentType }
        throw .malformed(line: max(1, Int(context.pointee.lastError.line)))
    }

    private static let initialized: Void = xmlInitParser()
}
