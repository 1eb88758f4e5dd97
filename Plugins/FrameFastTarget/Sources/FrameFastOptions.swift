public import FilmgateCore
public import HTTPKit

/// The options of `framefast`.
public struct FrameFastOptions: WebConfig {
    enum Profile: String, CaseIterable, ConfigValue { case current = "2026-03", january = "2026-01" }

    var url = AddressTemplate("https://api.framefast.io") ?? AddressTemplate(), event = "", profile = Profile.current
    var acceptConsent = false
    var poll = Duration.seconds(5), patience = Duration.seconds(180)
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("url", \.url, "The service's address."),
            .field("event", \.event, "The event's id at the service; absent = the event of the run."),
            .field("profile", \.profile, "Which form of the service's interface: limits, types and consent differ."),
            .field(
                "accept_consent", \.acceptConsent, "Gives the consent that the service asked for in its older form."),
            .field(
                "poll", \.poll, in: .milliseconds(10)...(.seconds(60)), "How often it is asked what became of uploads."),
            .field(
                "patience", \.patience, in: .milliseconds(50)...(.seconds(3600)),
                "How long one upload may be processed before it is asked later."),
        ] + WebOptions.fields())

    /// What the service takes, by extension: others cost a credit and fail.
    var extensions: Set<String> {
        let today: Set<String> = ["jpg", "jpeg", "png", "webp"]
        return profile == .current ? today : today.union(["heic", "heif"])
    }
    var limit: UInt64 { (profile == .current ? 10 : 20) << 20 }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if !url.uses.isEmpty || url.query != nil {
            throw ConfigError(node["url"]?.mark ?? node.mark, "bad-option", "The service's address has no variables.")
        }
        if let own = web.maxSize, own.bytes > limit {
            throw ConfigError(
                node["max_size"]?.mark ?? node.mark, "bad-option",
                "The service takes at most \(ByteCount(limit).shown ?? "").")
        }
    }
}
