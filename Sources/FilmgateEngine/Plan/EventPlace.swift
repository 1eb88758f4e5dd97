/// Whose events at which gallery: what one account calls an event says nothing about another's.
public struct EventPlace: Sendable, Hashable {
    /// By `EventDirectory.gallery`.
    public var gallery: String
    /// The entries under `auth:` that a target uses there, with the account where the file itself names it.
    public var signIns: [String]

    public init(gallery: String, signIns: [String]) { (self.gallery, self.signIns) = (gallery, signIns) }

    public init(_ gallery: String, _ entries: [(name: String, account: String?)]) {
        self.init(gallery: gallery, signIns: entries.map { $0.name + ($0.account.map { Self.mark + $0 } ?? "") })
    }

    /// Whether that entry signs in there.
    public func uses(_ entry: String) -> Bool { signIns.contains { $0 == entry || $0.hasPrefix(entry + Self.mark) } }

    private static let mark = " as "
}
