import CXML2

/// Goes through a foreign document once and tells what begins and ends; no tree is made of it.
package enum XMLReader {
    package enum Event: Equatable, Sendable {
        /// An element's local name and its attributes' values by theirs; declarations of namespaces are none.
        case begin(String, [String: String])
        /// The element's local name and its own text, without that of the elements in it.
        case end(String, String)
    }

    /// Elements in each other.
    package static let depthLimit = 64

    /// Calls `body` with each event, up to the end or to what is wrong with the document.
    package static func read(_ bytes: [UInt8], upTo limit: Int, _ body: (Event) -> Void) throws(XMLFault) {
        // Nobody calls it when this call is over.
        let result = withoutActuallyEscaping(body) { body in
            let receiver = XMLReceiver(body)
            return Result { () throws(XMLFault) in
                do throws(XMLFault) {
                    // Without NOENT, `&amp;` in an attribute would come as it stands; there are no entities but XML's
                    // own five.
                    xmlFreeDoc(
                        try XMLParsing.tree(bytes, upTo: limit, options: XML_PARSE_NOENT) { receiver.listen(to: $0) })
                } catch { throw receiver.isTooDeep ? .tooDeep : error }
            }
        }
        try result.get()
    }
}

/// What libxml2 calls while it reads.
private final class XMLReceiver {
    private(set) var isTooDeep = false
    private let body: (XMLReader.Event) -> Void
    /// The own texts of the elements that are open.
    private var texts: [[UInt8]] = []

    init(_ body: @escaping (XMLReader.Event) -> Void) { self.body = body }

    /// `context` must not outlive this object.
    func listen(to context: xmlParserCtxtPtr) {
        context.pointee._private = Unmanaged.passUnretained(self).toOpaque()
        guard let sax = context.pointee.sax else { return }
        sax.pointee.startElementNs = { context, name, _, _, _, _, count, _, attributes in
            XMLReceiver.of(context)?.begin(name, Int(count), attributes, context)
        }
        sax.pointee.endElementNs = { context, name, _, _ in XMLReceiver.of(context)?.end(name) }
        sax.pointee.characters = { context, text, count in XMLReceiver.of(context)?.take(text, Int(count)) }
        sax.pointee.ignorableWhitespace = sax.pointee.characters
        sax.pointee.cdataBlock = sax.pointee.characters
        sax.pointee.comment = nil
        sax.pointee.processingInstruction = nil
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLReceiver? {
        context?.assumingMemoryBound(to: xmlParserCtxt.self).pointee._private
            .map { Unmanaged<XMLReceiver>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin(
        _ name: UnsafePointer<xmlChar>?, _ count: Int, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?,
        _ context: UnsafeMutableRawPointer?
    ) {
        guard texts.count < XMLReader.depthLimit else {
            isTooDeep = true
            return xmlStopParser(context?.assumingMemoryBound(to: xmlParserCtxt.self))
        }
        texts.append([])
        var values: [String: String] = [:]
        // Five pointers each: local name, prefix, namespace, where the value begins and ends.
        for index in 0..<count {
            guard let attributes, let start = attributes[index * 5 + 3], let end = attributes[index * 5 + 4] else {
                continue
            }
            values[Self.text(attributes[index * 5])] = String(
                decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        }
        body(.begin(Self.text(name), values))
    }

    private func end(_ name: UnsafePointer<xmlChar>?) {
        body(.end(Self.text(name), String(decoding: texts.popLast() ?? [], as: UTF8.self)))
    }

    private func take(_ text: UnsafePointer<xmlChar>?, _ count: Int) {
        guard !texts.isEmpty else { return }
        texts[texts.count - 1] += UnsafeBufferPointer(start: text, count: count)
    }

    private static func text(_ name: UnsafePointer<xmlChar>?) -> String { name.map { String(cString: $0) } ?? "" }
}
