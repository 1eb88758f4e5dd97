public import FilmgateCore
import Glibc

/// Where the passphrase of a protected store comes from: the environment, a program such as a fingerprint check, or a
/// person.
public struct PassphraseSource: Sendable {
    /// The environment variable that may hold the passphrase; not passed on to programs that Filmgate starts.
    public static let variable = "FILMGATE_PASSPHRASE"
    /// What opens a store that is locked.
    public static let advice = "Set \(variable), or run the command in a terminal and type the passphrase."
    let environment: @Sendable (String) -> String?
    let prompt: (@Sendable () throws(IngestError) -> SecretValue?)?

    /// `prompt` asks a person and blocks; nil, or nil from it: nobody is there.
    public init(prompt: (@Sendable () throws(IngestError) -> SecretValue?)? = nil) {
        self.init(environment: { name in getenv(name).map { String(cString: $0) } }, prompt: prompt)
    }

    /// The same with another environment.
    public init(
        environment: @escaping @Sendable (String) -> String?,
        prompt: (@Sendable () throws(IngestError) -> SecretValue?)? = nil
    ) {
        (self.environment, self.prompt) = (environment, prompt)
    }

    /// The first way that gives one: environment, `hook`, person.
    ///
    /// Blocks. `unauthorized` (`isLocked`) when the hook's program fails.
    public func passphrase(hook: [String]) throws(IngestError) -> SecretValue? {
        if let text = environment(Self.variable), !text.isEmpty { return SecretValue(text) }
        if !hook.isEmpty {
            let printed: [UInt8]
            do throws(IngestError) { printed = try HelperProgram.run(hook, seconds: 120, limit: 4096) } catch {
                // Nobody is signed out by that: what is stored only cannot be read now.
                throw .locked(error.message)
            }
            if let text = HelperProgram.text(of: printed), !text.isEmpty { return SecretValue(text) }
        }
        return try prompt?()
    }
}

/// The cause of an error that only a passphrase cures.
public struct VaultLocked: Error {
    public init() {}
}

extension IngestError {
    static func locked(_ why: String) -> IngestError {
        IngestError(
            .unauthorized, "The secret store is locked: \(why)", advice: PassphraseSource.advice, cause: VaultLocked())
    }

    /// The store wants its passphrase; everything else about the sign-in may be fine.
    public var isLocked: Bool { cause is VaultLocked || (cause as? UnreadSecret)?.error.isLocked == true }
}
