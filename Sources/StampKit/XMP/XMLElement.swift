import CXML2

/// A name and the namespace that it stands in.
struct XMLName: Hashable {
    let space: String, name: String
    init(_ space: String, _ name: String) { (self.space, self.name) = (space, name) }
}

/// One element of a tree, alive as long as its document.
struct XMLElement {
    private let node: xmlNodePtr
    private let document: XMLDocument

    init(_ node: xmlNodePtr, _ document: XMLDocument) { (self.node, self.document) = (node, document) }

    var name: XMLName {
        XMLName(
            node.pointee.ns?.pointee.href.map { String(cString: $0) } ?? "",
            node.pointee.name.map { String(cString: $0) } ?? "")
    }

    var children: [XMLElement] {
        var found: [XMLElement] = [], next = node.pointee.children
        while let child = next {
            if child.pointee.type == XML_ELEMENT_NODE { found.append(XMLElement(child, document)) }
            next = child.pointee.next
        }
        return found
    }

    func children(_ name: XMLName) -> [XMLElement] { children.filter { $0.name == name } }

    /// All text below it.
    var text: String {
        guard let content = xmlNodeGetContent(node) else { return "" }
        defer { fg_xml_free(content) }
        return String(cString: content)
    }

    func attribute(_ name: XMLName) -> String? {
        guard
            let value = name.space.isEmpty ? xmlGetNoNsProp(node, name.name) : xmlGetNsProp(node, name.name, name.space)
        else {
            return nil
        }
        defer { fg_xml_free(value) }
        return String(cString: value)
    }

    func remove(attribute name: XMLName) {
        if let found = xmlHasNsProp(node, name.name, name.space) { xmlRemoveProp(found) }
    }

    func set(attribute name: XMLName, _ value: String, prefix: String) {
        xmlSetNsProp(node, space(name.space, prefix), name.name, value)
    }

    /// Takes it out of the tree and frees it; no other value may stand for it or what is in it.
    func remove() {
        xmlUnlinkNode(node)
        xmlFreeNode(node)
    }

    @discardableResult func add(_ name: XMLName, prefix: String, text: String? = nil) -> XMLElement? {
        let made =
            if let text { xmlNewTextChild(node, space(name.space, prefix), name.name, text) } else {
                xmlNewChild(node, space(name.space, prefix), name.name, nil)
            }
        return made.map { XMLElement($0, document) }
    }

    /// The namespace as it is declared here or above, else declared now, under another prefix where the usual one means
    /// something else.
    private func space(_ address: String, _ prefix: String) -> xmlNsPtr? {
        if let known = xmlSearchNsByHref(document.pointer, node, address), known.pointee.prefix != nil { return known }
        var prefix = prefix, number = 1
        while xmlSearchNs(document.pointer, node, prefix) != nil, number < 1000 {
            number += 1
            prefix = "ns\(number)"
        }
        return xmlNewNs(node, address, prefix)
    }
}
