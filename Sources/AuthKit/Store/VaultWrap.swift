import CryptographyKit
import FilmgateCore
import HTTPKit

/// How a protected store is sealed: the key comes from a passphrase by scrypt (RFC 7914), the seal is ChaCha20-Poly1305
/// (RFC 8439) with the entry's name bound in.
struct VaultWrap {
    var rounds = 1 << 15, block = 8, parallel = 1
    var salt: [UInt8]
    /// A known text, sealed: tells a wrong passphrase from a damaged store.
    var check = ""
    /// The program that gives the passphrase; empty = none.
    var hook: [String] = []
    /// Seconds without use after which the key is forgotten; 0 = never.
    var idle = 900

    init() { salt = (0..<16).map { _ in UInt8.random(in: 0...255) } }

    /// Takes about a tenth of a second and 32 MiB, on purpose.
    func key(_ passphrase: SecretValue) throws(IngestError) -> SecretKey {
        do {
            return try SecretKey.scrypt(
                Array(passphrase.reveal().utf8), salt: salt, rounds: rounds, block: block, parallel: parallel)
        } catch {
            throw IngestError(.unauthorized, "The secret store's key cannot be derived on this machine.")
        }
    }

    static func seal(_ text: String, as name: String, with key: SecretKey) throws(IngestError) -> String {
        do {
            return Base64.text(
                of: try ChaChaPoly.seal(Array(text.utf8), with: key, authenticating: Array("filmgate \(name)".utf8)))
        } catch { throw IngestError(.unexpected, "The secret store could not be encrypted.") }
    }

    /// Nil when the key is wrong, the text is not whole, or was sealed under another name.
    static func open(_ text: String, as name: String, with key: SecretKey) -> String? {
        guard let bytes = Base64.bytes(text),
            let plain = ChaChaPoly.open(bytes, with: key, authenticating: Array("filmgate \(name)".utf8))
        else { return nil }
        return String(validating: plain, as: UTF8.self)
    }

    /// Nil for parameters out of all reason: the file is not trusted with this machine's memory.
    init?(_ json: JSONValue) {
        guard json["kdf"]?.text == "scrypt", case .integer(let rounds)? = json["rounds"],
            (1024...1 << 20).contains(rounds),
            rounds & (rounds - 1) == 0, case .integer(let block)? = json["block"], (1...16).contains(block),
            case .integer(let parallel)? = json["parallel"], (1...16).contains(parallel),
            let salt = json["salt"]?.text.flatMap({ Base64.bytes($0) }), (8...64).contains(salt.count),
            let check = json["check"]?.text, case .integer(let idle)? = json["idle"], (0...864_000).contains(idle),
            case .array(let words)? = json["hook"]
        else { return nil }
        (self.rounds, self.block, self.parallel, self.salt) = (Int(rounds), Int(block), Int(parallel), salt)
        (self.check, self.idle, hook) = (check, Int(idle), words.compactMap(\.text))
    }

    var json: JSONValue {
        .object([
            "kdf": .string("scrypt"), "rounds": .integer(Int64(rounds)), "block": .integer(Int64(block)),
            "parallel": .integer(Int64(parallel)), "salt": .string(Base64.text(of: salt)), "check": .string(check),
            "idle": .integer(Int64(idle)), "hook": .array(hook.map { .string($0) }),
        ])
    }
}
