/// A reference to a secret, as the pipeline file writes it; the value is looked up only when it is used.
///
/// `${env:NAME}`, `${file:/run/secrets/x}`, `${credential:NAME}` (systemd), `${store:NAME}` (kept by `filmgate login`;
/// the word `store` means the entry that it stands in), `${exec:/usr/bin/pass show x}`. Anything else is an inline
/// secret and refused.
public struct Secret: Sendable, Hashable, ConfigValue {
    public enum Reference: Sendable, Hashable {
        case none, environment(String), file(String), credential(String)
        /// An entry of Filmgate's own store; "" = named like the entry of the pipeline file that refers to it.
        case store(String)
        /// A program and its arguments, run without a shell; the secret is what it prints.
        case command([String])
    }
    public let reference: Reference

    public init() { reference = .none }
    public init(_ reference: Reference) { self.reference = reference }

    public static var kind: ValueKind { .secret }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a secret reference such as ${env:NAME}")
        guard let reference = Self.parse(text) else {
            throw ConfigError(
                node.mark, "inline-secret", "A secret must not stand in the file itself.",
                hint:
                    "Write ${env:NAME}, ${file:/run/secrets/name}, ${credential:NAME} (systemd) or ${store:NAME} (`filmgate login`) "
                    + "and keep the value there.")
        }
        self.reference = reference
    }

    static func parse(_ text: String) -> Reference? {
        if text == "store" || text == "${store}" { return .store("") }
        guard text.hasPrefix("${"), text.hasSuffix("}") else { return nil }
        let parts = text.dropFirst(2).dropLast().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty,
            !parts[1].utf8.contains(where: { $0 == UInt8(ascii: "}") || $0 == 0 })
        else {
            return nil
        }
        let name = String(parts[1])
        switch parts[0] {
        case "env": return .environment(name)
        case "file" where name.hasPrefix("/") || name.hasPrefix("~/"): return .file(name)
        case "exec" where name.hasPrefix("/"): return .command(name.split(separator: " ").map(String.init))
        case "store" where isStoreName(name): return .store(name)
        case "credential" where !name.utf8.contains(0x2F) && name != "." && name != "..": return .credential(name)
        default: return nil
        }
    }

    /// Letters, digits, `-`, `_` and `.`, at most 64.
    public static func isStoreName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// The reference, never the value.
    public var shown: String? {
        switch reference {
        case .none: nil
        case .environment(let name): "${env:\(name)}"
        case .file(let path): "${file:\(path)}"
        case .credential(let name): "${credential:\(name)}"
        case .store(let name): name.isEmpty ? "store" : "${store:\(name)}"
        // Only the program: its arguments may say more than they should.
        case .command(let words): "${exec:\(words.first ?? "")}"
        }
    }
}

/// A secret's value in memory.
///
/// It has no printable form: descriptions, dumps and string interpolation show `‹secret›`.
public struct SecretValue: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    public init(_ text: String) { self.text = text }
    /// The value itself, for the request that carries it and nothing else.
    public func reveal() -> String { text }
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
