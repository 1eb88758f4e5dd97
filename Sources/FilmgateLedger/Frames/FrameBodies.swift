/// Which body made which bytes, by the numbers that the ledger has for them: four bytes a content.
///
/// A body has made very many: whoever looks for its files needs not to be told all of their contents.
struct FrameBodies: Sendable {
    /// By the number of the content; 0 for none.
    private var bodies: [UInt32] = []
    /// Numbers are given in a row; what is behind that is not found by its body.
    private static let most = NumberSet.most

    init() {}

    mutating func note(_ body: Int64?, of content: Int64?) {
        guard let body, let content, content > 0, content < Self.most else { return }
        let place = Int(content)
        if place >= bodies.count { bodies.append(contentsOf: repeatElement(0, count: place + 1 - bodies.count)) }
        bodies[place] = UInt32(clamping: body)
    }

    func isOf(_ wanted: [UInt32], _ content: UInt32) -> Bool {
        let maker = maker(of: content)
        return maker != 0 && wanted.contains(maker)
    }

    /// The number of the body that made it; 0 where none is known.
    func maker(of content: UInt32) -> UInt32 {
        let place = Int(content)
        return place < bodies.count ? bodies[place] : 0
    }
}

/// What the ledger found for a filter, which a list of files cannot know by itself.
public struct FrameFinds: Sendable, Hashable {
    /// For its text, beside the names of files: bytes, and bodies of which all bytes count, by their numbers there.
    public var contents: Set<Int64>, bodies: Set<Int64>
    /// Files of these bodies and with these bytes only, by their numbers there; nil: of any.
    public var onlyBodies: NumberSet?, onlyContents: NumberSet?
    public init(contents: Set<Int64> = [], bodies: Set<Int64> = []) {
        (self.contents, self.bodies) = (contents, bodies)
    }

    /// Nothing was found for the text.
    var isEmpty: Bool { contents.isEmpty && bodies.isEmpty }
}
