public import FilmgateCore

/// Recognises what was taken or delivered before: by origin before anything is read, by SHA-256 afterwards.
public struct DedupeStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var origin = true, hourShift = false
        public init() {}
        public static let schema: Schema<Self> = [
            .field("origin", \.origin, "Do not read a card's file again when place, name, size and time are known and it was delivered."),
            .field(
                "hour_shift", \.hourShift,
                "Know a file again when its birth and modification moved by the same whole hours, as on FAT cards after a zone change."),
        ]
    }
    public static let manifest = Manifest(
        "dedupe", "Knows files and bytes that were delivered before, whatever their name or source.", needs: [.file, .digest],
        gives: [.unique])

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
        // Of a shot whose files come one by one another picture may be the first: RAW from the card, JPEG over the network.
        if asset.earlier?.isEmpty == true, let picture = content.beside,
            let other = try await ledger.neighbour(of: picture, withSidecar: content.sha256)
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
}
