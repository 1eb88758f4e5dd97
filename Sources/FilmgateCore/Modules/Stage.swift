/// A step that an asset passes: takes one asset, gives a verdict.
///
/// Must be repeatable: after a crash it runs again on the same asset.
public protocol Stage: Sendable {
    /// What it asks of the engine before any asset comes. Default: nothing.
    var traits: StageTraits { get }
    /// May be called from several tasks at once, never twice at a time for one asset.
    func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict
    /// Why a frame of that name and kind ends here as filtered, whatever is in it: such a file need not be read a
    /// second time.
    ///
    /// The reason that `process` would give. Default: nil, it depends on the frame.
    func refusal(ofName name: String, _ kind: MediaKind) -> String?
    /// The same file of `asset`, which this stage has made, with what people have said since; nil where there is
    /// nothing to be written.
    ///
    /// `newFile` is the path to write it to. Default: nil.
    func marked(
        _ rendition: LocalFile, of asset: Asset, as mark: PictureMark, newFile: String, digests: Set<DigestAlgorithm>
    ) async throws(IngestError) -> Rendition?
    /// Why a file ends here as filtered, told from its facts and its shot's alone, without its bytes.
    ///
    /// Default: nil, it passes, or that cannot be told so.
    func refusal(of asset: Asset, in shot: Shot) -> String?
}

extension Stage {
    public var traits: StageTraits { StageTraits() }
    public func refusal(ofName name: String, _ kind: MediaKind) -> String? { nil }
    public func refusal(of asset: Asset, in shot: Shot) -> String? { nil }
    public func marked(
        _ rendition: LocalFile, of asset: Asset, as mark: PictureMark, newFile: String, digests: Set<DigestAlgorithm>
    ) async throws(IngestError) -> Rendition? { nil }
}

/// What a stage asks of the engine, as data.
public struct StageTraits: Sendable, Hashable {
    /// Names of the targets that it delivers to.
    public var deliversTo: [String]
    /// Deliveries at once per target; nil = what each target prefers.
    public var workers: Int?
    /// Known files need not be read again.
    public var recognises: Bool
    /// A known file whose times moved by the same whole hours is still known (``Evidence``).
    public var hourShift: Bool
    /// Wants to know what the profile and the run say of each shot (`Shot.stamping`).
    public var stamps = false
    /// Only adds what a file says about itself: is also asked of the files of a shot that are known and not taken again
    /// (`Shot.known`).
    public var reads = false
    /// What the targets that it delivers to get, by their names; absent = everything.
    ///
    /// A profile may say otherwise.
    public var rules: [String: DeliveryRule] = [:]
    /// Wants to know when each file was taken (`Shot.times`).
    public var asksTimes = false
    /// Answers `refusal(of:in:)`.
    public var selects = false
    /// What it lets pass waits for marks at every target.
    public var awaits: MarkRule?

    public init(deliversTo: [String] = [], workers: Int? = nil, recognises: Bool = false, hourShift: Bool = false) {
        (self.deliversTo, self.workers, self.recognises, self.hourShift) = (deliversTo, workers, recognises, hourShift)
    }
}

/// What a stage decides.
public enum Verdict: Sendable {
    /// Goes on, perhaps with more facts.
    case pass(Asset)
    /// Ends here: filtered, or duplicate of `twin` (the earlier file, as a person would name it).
    case finish(Asset, Ending, reason: String, twin: String?)
    /// Hands the asset to these targets; the engine delivers, retries and settles the ending.
    case deliver(Asset, to: [String])
}

/// The assets that belong together, as a stage sees them while one of them passes: the primary first.
public struct Shot: Sendable {
    public var key: String
    public var assets: [Asset]
    /// The shot's primary when it is known from before and not read again.
    public var remembered: Asset?
    /// Files of the shot that were taken before and are not taken again, where they still can be read: what they say
    /// still counts.
    ///
    /// `file` is nil where it has been read already.
    public var known: [Asset] = []
    /// What people said of its pictures, which are marked as one.
    public var mark = PictureMark()
    /// For stages that ask for it.
    public var stamping: Stamping?
    /// For stages that ask for it: when each file was taken, corrected by its profile; the file's own time where it
    /// does not say.
    public var times: [AssetID: CivilTime] = [:]

    public init(key: String, assets: [Asset], remembered: Asset? = nil) {
        (self.key, self.assets, self.remembered) = (key, assets, remembered)
    }

    /// The file that sidecars and memos follow: RAW before HEIF before JPEG before video.
    public var primary: Asset? { remembered ?? assets.first }

    /// What a delivery of `asset` is about: its bytes, and for a sidecar also its primary's.
    ///
    /// Nil before the bytes are known.
    public func content(of asset: Asset) -> ContentKey? {
        guard let digests = asset.digests else { return nil }
        let beside = asset.kind == .sidecar && primary?.id != asset.id ? primary?.digests?.sha256 : nil
        return ContentKey(sha256: digests.sha256, beside: beside.map { asset.beside ?? $0 })
    }
}
