import FilmgateConfig
import FilmgateCore
import FilmgateTesting

/// Secrets of a module on the bench, by the options that want them: the user's own, and canaries for all others.
///
/// A canary is a value that opens nothing; where it turns up in what a module writes, the module shows secrets.
struct TrialSecrets: Sendable {
    /// Values or references to them.
    private let given: [String: String]

    /// `texts`: `key=value`; nil where one is not.
    init?(_ texts: [String]) {
        var given: [String: String] = [:]
        for text in texts {
            guard let cut = text.firstIndex(of: "="), cut > text.startIndex else { return nil }
            given[String(text[..<cut])] = String(text[text.index(after: cut)...])
        }
        self.given = given
    }

    var names: [String] { given.keys.sorted() }

    /// Refers each secret that is given, and each that is required and missing, to a place of its own.
    func refer(_ node: inout ConfigNode, _ fields: [FieldDescription]) {
        for field in fields where field.kind == .secret {
            if given[field.name] != nil || field.required && node[field.name] == nil {
                node.set(field.name, "${env:\(Self.place(field.name))}")
            }
        }
    }

    /// What a check uses as the secret, where that is the usual canary, gives way to what the user gave.
    func over(_ usual: any SecretResolver) -> any SecretResolver { Resolver(given: given, usual: usual) }

    private static func place(_ name: String) -> String { "FILMGATE_TRIAL_" + name }

    private struct Resolver: SecretResolver {
        let given: [String: String], usual: any SecretResolver

        func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
            let value = try usual.resolve(secret)
            guard value.reveal() == CanarySecrets().value,
                let own = given.first(where: { secret.reference == .environment(TrialSecrets.place($0.key)) })?.value
            else { return value }
            if let reference = try? Secret(node: ConfigNode(.scalar(own, quoted: true))) {
                return try SystemSecrets().resolve(reference)
            }
            return SecretValue(own)
        }
    }
}
