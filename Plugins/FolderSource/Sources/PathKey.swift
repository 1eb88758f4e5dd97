import FilmgateCore

/// A path as a key: its bytes count, not the characters that they spell.
struct PathKey: Hashable, Sendable {
    let text: String
    init(_ text: String) { self.text = text }
    static func == (a: Self, b: Self) -> Bool { a.text.isSpelled(as: b.text) }
    func hash(into hasher: inout Hasher) { text.hashSpelling(into: &hasher) }
    /// Stands for the path where millions are remembered.
    var digest: Int { hashValue }
}
