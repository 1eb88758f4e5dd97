/// What somebody may do on the page; each role may do all that those before it may.
public enum Role: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Sees pictures and what became of them: no folders, addresses, serial numbers or targets.
    case view
    /// Also says which pictures are good.
    case pick
    /// Sees everything, and steers the run.
    case operate
    /// Also lets others in.
    case admin

    public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
