public import FilmgateCore

/// Hands every asset that comes this far to the targets; what each of them gets is said by `deliver`, here and in
/// profiles.
public struct UploadStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var to: [String] = [], workers: Int?
        public var deliver: [String: DeliveryRule] = [:]
        public init() {}
        public static let schema: Schema<Self> = [
            .field("to", \.to, "Names of the targets, from `targets:`.").required(),
            .field("workers", \.workers, "Deliveries at once per target; absent: what each target prefers."),
            .field(
                "deliver", \.deliver,
                "What a target gets, by its name: kinds, or a rule; absent: everything. A profile may say otherwise."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if to.isEmpty {
                throw ConfigError(
                    node["to"]?.mark ?? node.mark, "empty-list", "`to` names no target: nothing would be delivered.",
                    hint: "Write the name of an entry under `targets:`, such as `to: [archive]`.")
            }
            if let workers, !(1...32).contains(workers) {
                throw ConfigError(
                    node["workers"]?.mark ?? node.mark, "out-of-range", "`workers` must be between 1 and 32.")
            }
            if let stranger = deliver.keys.sorted().first(where: { !to.contains($0) }) {
                throw notDelivered(stranger, at: node)
            }
        }

        private func notDelivered(_ name: String, at node: ConfigNode) -> ConfigError {
            var mark = node.mark
            if case .map(let pairs)? = node["deliver"]?.value {
                mark = pairs.first { $0.key.name == name }?.key.mark ?? mark
            }
            let hint = nearest(name, among: to).map { "Did you mean `\($0)`?" } ?? "Add it to `to`, or remove its rule."
            return ConfigError(
                mark, "target-not-in-upload", "`\(name)` is not in `to`, so nothing would be delivered there.",
                hint: hint)
        }
    }
    public static let manifest = Manifest(
        "upload", "Delivers to the named targets.", needs: [.file, .digest], gives: [.receipt])

    public let traits: StageTraits

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        var traits = StageTraits(deliversTo: config.to, workers: config.workers)
        traits.rules = config.deliver
        self.traits = traits
    }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        .deliver(asset, to: traits.deliversTo)
    }
}
