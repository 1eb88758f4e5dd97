/// What a rule per target looks at: a frame, and what its whole shot says.
public struct FrameFacts: Sendable, Hashable {
    /// Facts that a rule may ask for beyond name and kind.
    public enum Fact: Sendable, Hashable, CaseIterable { case pixels, time, rating, protection }

    public var kind: MediaKind, name: String
    /// Width times height; nil where the file does not say.
    public var pixels: Int?
    /// When it was taken, corrected by the profile; where the file does not say, its own time.
    public var time: CivilTime?
    /// The shot's, by marks and files; nil for one that is not rated.
    public var rating: Int?
    /// The shot's, by marks and files.
    public var pick = PictureMark.Pick.none
    public var isProtected = false
    /// What can only be said once files of the shot have been read.
    public var unknown: Set<Fact> = []

    public init(kind: MediaKind, name: String) { (self.kind, self.name) = (kind, name) }
}

extension MediaFacts {
    /// Width times height; nil where the file does not say.
    public var pixels: Int? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        let (product, isTooLarge) = width.multipliedReportingOverflow(by: height)
        return isTooLarge ? .max : product
    }
}
