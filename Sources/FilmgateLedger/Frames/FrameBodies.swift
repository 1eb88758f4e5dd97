/// Which body made which bytes, by the numbers that the ledger has for them: four bytes a content.
///
/// A body has made very many: whoever looks for its files needs not to be told all of their contents.
struct FrameBodies: Sendable {
    /// By the number of the content; 0 for none.
    private var bodies: [UInt32] = []
    /// Numbers are given in a row; what is behind that is not found by its body.
    private static let most: Int64 = 1 << 28

    init() {}

    mutating func note(_ body: Int64?, of content: Int64?) {
        guard let body, let content, content > 0, content < Self.most else { return }
        let place = Int(content)
        if place >= bodies.count { bodies.append(contentsOf: repeatElement(0, count: place + 1 - bodies.count)) }
        bodies[place] = UInt32(clamping: body)
    }

    func isOf(_ wanted: [UInt32], _ content: UInt32) -> Bool {
        let place = Int(content)
        return place < bodies.count && bodies[place] != 0 && wanted.contains(bodies[place])
    }
}

/// What the ledger found for the text of a filter, beside the names of files.
public struct FrameFinds: Sendable, Hashable {
    /// Bytes, and bodies of which all bytes count, by their numbers there.
    public var contents: Set<Int64>, bodies: Set<Int64>
    public init(contents: Set<Int64> = [], bodies: Set<Int64> = []) {
        (self.contents, self.bodies) = (contents, bodies)
    }

    var isEmpty: Bool { contents.isEmpty && bodies.isEmpty }
}
