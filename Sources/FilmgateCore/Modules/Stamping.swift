/// What is to be written into the metadata of delivered files; absent = not stamped.
///
/// A text that needs something that is not known of a picture (`{event}` without an event) is left out for that
/// picture.
public struct StampRule: Sendable, Hashable, ConfigSection {
    public var creator: Template?, copyright: Template?, event: Template?, caption: Template?
    public var keywords: [Template]?

    public init() {}

    public static let schema: Schema<Self> = [
        .field("creator", \.creator, "Who took it."),
        .field("copyright", \.copyright, "Who owns it."),
        .field("event", \.event, "What it was taken at."),
        .field("caption", \.caption, "The description."),
        .field("keywords", \.keywords, "Keywords, added to those that are there."),
    ]

    /// This rule, and from `other` what it does not say.
    public func filled(from other: StampRule) -> StampRule {
        var rule = self
        rule.creator = creator ?? other.creator
        rule.copyright = copyright ?? other.copyright
        rule.event = event ?? other.event
        rule.caption = caption ?? other.caption
        rule.keywords = keywords ?? other.keywords
        return rule
    }
}

/// What a stage that writes metadata must know of a shot, and where its files go.
public struct Stamping: Sendable {
    /// What the profile says; where it is silent, the stage's own options hold.
    public var rule: StampRule
    /// Values for templates, by asset: with corrected time, photographer and event.
    public var values: [AssetID: TemplateValues]
    /// What people said of the shot's pictures.
    public var mark: PictureMark
    /// The camera's clock is known to have been wrong.
    public var isClockCorrected: Bool
    /// Each makes a path for a file of its own, on one disk after another for where the earlier ones are full; none in
    /// a dry run, when nothing is written.
    public var newFiles: [@Sendable () -> String]
    /// Digests that the targets want of every file, beside SHA-256.
    public var digests: Set<DigestAlgorithm>

    public init(
        rule: StampRule, values: [AssetID: TemplateValues], mark: PictureMark = PictureMark(),
        isClockCorrected: Bool = false, newFiles: [@Sendable () -> String] = [], digests: Set<DigestAlgorithm> = []
    ) {
        self.mark = mark
        (self.rule, self.values, self.isClockCorrected, self.newFiles) = (rule, values, isClockCorrected, newFiles)
        self.digests = digests
    }
}
