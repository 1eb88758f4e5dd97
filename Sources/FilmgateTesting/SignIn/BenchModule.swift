public import FilmgateCore
import Logging

/// Builds a module for a test as the engine would: options decoded by its schema, mistakes thrown.
public enum BenchModule {
    /// `options`: key and text, or a list written `[a, b]`.
    public static func options<Options: ModuleConfig>(_ type: Options.Type, _ options: [(String, String)]) throws
        -> Options
    {
        let pairs = options.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), node($0.1)) }
        var errors: [ConfigError] = []
        let decoded = Options.schema.decode(ConfigNode(.map(pairs)), errors: &errors)
        if let first = errors.first { throw first }
        return decoded
    }

    private static func node(_ text: String) -> ConfigNode {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return ConfigNode(.scalar(text, quoted: !isPlain(text))) }
        return ConfigNode(
            .list(
                text.dropFirst().dropLast().split(separator: ",").map {
                    ConfigNode(.scalar(String($0.drop { $0 == " " }), quoted: true))
                }))
    }

    /// Numbers, durations and truth values are read as such.
    private static func isPlain(_ text: String) -> Bool {
        text == "true" || text == "false" || text.first?.isNumber == true
    }

    /// A context named `studio` over a state folder.
    public static func context(_ state: String, secrets: any SecretResolver = NoSecrets()) -> ModuleContext {
        ModuleContext(name: "studio", logger: Logger(label: "test"), state: state, lookup: Lookup(secrets: secrets))
    }
}
