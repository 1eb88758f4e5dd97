public import FilmgateCore

/// Hands every asset that comes this far to the targets; what each of them takes is said by the profile.
public struct UploadStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var to: [String] = [], workers: Int?
        public init() {}
        public static let schema: Schema<Self> = [
            .field("to", \.to, "Names of the targets, from `targets:`.").required(),
            .field("workers", \.workers, "Deliveries at once per target; absent: what each target prefers."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if to.isEmpty {
                throw ConfigError(
                    node["to"]?.mark ?? node.mark, "empty-list", "`to` names no target: nothing would be delivered.",
                    hint: "Write the name of an entry under `targets:`, such as `to: [archive]`.")
            }
            if let workers, !(1...32).contains(workers) {
                throw ConfigError(node["workers"]?.mark ?? node.mark, "out-of-range", "`workers` must be between 1 and 32.")
            }
        }
    }
    public static let manifest = Manifest("upload", "Delivers to the named targets.", needs: [.file, .digest], gives: [.receipt])

    public let traits: StageTraits

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        traits = StageTraits(deliversTo: config.to, workers: config.workers)
    }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .deliver(asset, to: traits.deliversTo) }
}
