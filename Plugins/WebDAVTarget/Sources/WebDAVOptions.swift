public import FilmgateCore
public import HTTPKit

/// The options of `webdav`.
public struct WebDAVOptions: WebConfig {
    enum Placing: String, CaseIterable, ConfigValue { case move, direct }
    enum Proving: String, CaseIterable, ConfigValue { case none, reread }

    var url = AddressTemplate(), placing = Placing.move, verify = Proving.none
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field(
                "url", \.url,
                "The folder, with variables from the first part that varies on: https://nas.example/dav/{event}/{name}."
            )
            .required(),
            .field(
                "placing", \.placing,
                "Send under a hidden name and rename when whole, or send under the final name at once."),
            .field("verify", \.verify, "Download each file again and compare, or trust the server's word."),
        ] + WebOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) {
        let mark = node["url"]?.mark ?? node.mark
        guard let layout = url.layout,
            !layout.uses.isDisjoint(with: ["name", "stem", "shot", "counter", "sha256", "captured"])
        else {
            throw ConfigError(
                mark, "bad-option", "Every file would get the same name.", hint: "Put {name} into the address.")
        }
        if url.query != nil { throw ConfigError(mark, "bad-option", "A WebDAV address has no query.") }
    }
}
