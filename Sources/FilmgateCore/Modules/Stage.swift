/// A step that an asset passes: takes one asset, gives a verdict. Must be repeatable: after a crash it runs again on the same asset.
public protocol Stage: Sendable {
    /// May be called from several tasks at once, never twice at a time for one asset.
    func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict
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

    public init(key: String, assets: [Asset]) { (self.key, self.assets) = (key, assets) }

    /// The file that sidecars and memos follow: RAW before video before HEIF before JPEG.
    public var primary: Asset? { assets.first }
}
