import XMLKit

/// A server's answer in XML, for what is in its elements; their prefixes and attributes count for nothing.
///
/// Of an answer that is no XML from some place on, what came before is there; `isWhole` tells. One with a document type
/// is empty: what its entities stand for is known to nobody here.
public struct XMLReply: Sendable {
    private struct Element {
        let name: String
        var text = ""
        /// The index behind everything inside it; nil while it is open.
        var end: Int?
    }
    /// In the order in which they begin.
    private let elements: ArraySlice<Element>
    /// The whole answer is XML; of a piece: its answer.
    public let isWhole: Bool

    /// No answer is read further than to so many elements.
    private static let mostElements = 200_000

    public init(_ bytes: [UInt8]) {
        var elements: [Element] = [], open: [Int] = [], isFull = false
        // A service that takes its time sends blanks meanwhile, also before the first word.
        let document = Array(bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 })
        let read = Result { () throws(XMLFault) in
            try XMLReader.read(document, upTo: .max) { event in
                switch event {
                case .begin(let name, _):
                    isFull = isFull || elements.count == Self.mostElements
                    if isFull { return }
                    open.append(elements.count)
                    elements.append(Element(name: name))
                case .end(_, let text):
                    guard !isFull, let index = open.popLast() else { return }
                    elements[index].text = text
                    elements[index].end = elements.count
                }
            }
        }
        if case .success = read { isWhole = !isFull } else { isWhole = false }
        self.elements = elements[...]
    }

    private init(_ elements: ArraySlice<Element>, isWhole: Bool) { (self.elements, self.isWhole) = (elements, isWhole) }

    /// The texts of all elements of that name, in order; one that holds nothing is none.
    public func all(_ name: String) -> [String] {
        elements.indices.filter { elements[$0].name == name && isFilled($0) }.map { elements[$0].text }
    }

    public func first(_ name: String) -> String? {
        elements.indices.first { elements[$0].name == name && isFilled($0) }.map { elements[$0].text }
    }

    /// Whether such an element begins, whatever it holds.
    public func has(_ name: String) -> Bool { elements.contains { $0.name == name } }

    private func isFilled(_ index: Int) -> Bool {
        guard let end = elements[index].end else { return index + 1 < elements.endIndex }
        return end > index + 1 || !elements[index].text.isEmpty
    }

    /// What is inside of each element of that name which is there to its end; of such ones in each other, the outer
    /// one.
    public func pieces(_ name: String) -> [XMLReply] {
        var found: [XMLReply] = [], index = elements.startIndex
        while index < elements.endIndex {
            if elements[index].name == name, let end = elements[index].end {
                found.append(XMLReply(elements[(index + 1)..<end], isWhole: isWhole))
                index = end
            } else {
                index += 1
            }
        }
        return found
    }
}

extension HTTPResponse {
    /// Its body, which is read anew each time.
    public var xml: XMLReply { XMLReply(body) }
}
