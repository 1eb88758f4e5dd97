public import FilmgateCore

/// Recognises what was taken or delivered before: by origin before anything is read, by SHA-256 afterwards.
public struct DedupeStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var origin = true, hourShift = false
        public init() {}
        public static let schema: Schema<Self> = [
            .field(
                "origin", \.origin,
                "Do not read a card's file again when place, name, size and time are known and it was delivered."),
            .field(
                "hour_shift", \.hourShift,
                "Know a file again when its birth and modification moved by the same whole hours, as on FAT cards after a zone change."
            ),
        ]
    }
    public static let manifest = Manifest(
        "dedupe", "Knows files and bytes that were delivered before, whatever their name or source.",
        needs: [.file, .digest], gives: [.unique])

    public let traits: StageTraits
    private let ledger: (any LedgerReader)?

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        traits = StageTraits(recognises: config.origin, hourShift: config.hourShift)
        ledger = context.lookup.ledger
    }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        guard let ledger, var content = shot.content(of: asset) else { return .pass(asset) }
        var asset = asset
        asset.earlier = try await ledger.deliveries(of: content)
        if asset.earlier?.isEmpty == true, let picture = content.beside,
            let other = try await self.picture(before: picture, of: asset, content, in: shot, ledger)
        {
            asset.beside = other
            content = ContentKey(sha256: content.sha256, beside: other)
            asset.earlier = try await ledger.deliveries(of: content)
        }
        if asset.earlier?.isEmpty == false {
            let twin = try await ledger.twin(of: content)
            asset.twin = twin == asset.origin.absolutePath ? nil : twin
        }
        return .pass(asset)
    }

    /// The picture that the sidecar was ordered beside before; nil for none.
    ///
    /// Of a shot whose files come one by one another may be the first: a RAW that is copied later than its JPEG, or RAW
    /// from the card and JPEG over the network. Its sidecar would be sent once more, and what was said of it before,
    /// such as that it was taken back, would not count.
    private func picture(
        before first: String, of asset: Asset, _ content: ContentKey, in shot: Shot, _ ledger: any LedgerReader
    ) async throws(IngestError) -> String? {
        for picture in shot.assets + shot.known where !picture.kind.follows {
            guard let digest = picture.digests?.sha256, digest != first else { continue }
            let rows = try await ledger.deliveries(of: ContentKey(sha256: content.sha256, beside: digest))
            if !rows.isEmpty { return digest }
        }
        return try await ledger.neighbour(of: first, withSidecar: content.sha256)
    }
}
