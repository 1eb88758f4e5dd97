import AuthKit
import FilmgateCore
import HTTPKit

/// What the helper does: it is asked when there is nothing, when it has run out, and after a refusal.
struct ExecGrant: AccountGrant {
    let options: ExecAuth.Options, clock: @Sendable () -> Int
    private static let pool = BlockingPool(width: 4)

    var stores: Bool { false }
    var obtains: Bool { true }
    /// Asked for anew in each process.
    func issued(_ credential: Credential) -> Bool { true }
    func renews(_ credential: Credential) -> Bool { true }
    func obtain() async throws(IngestError) -> Credential? { try await ask("get") }
    func refresh(_ credential: Credential) async throws(IngestError) -> Credential { try await ask("renew") }

    func ask(_ action: String) async throws(IngestError) -> Credential {
        let printed = try await run(action), program = options.command[0]
        let json = JSONValue(printed)
        let text: String
        if case .object? = json {
            text = json?["token"]?.text ?? ""
        } else {
            text = HelperProgram.text(of: printed) ?? ""
        }
        // No token begins so: a page, or JSON that broke off.
        let isText =
            text.utf8.first.map { [UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0) } ?? true
        guard !isText, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw IngestError(.unauthorized, "\(program) printed nothing that could be sent.")
        }
        let account = json?["account"]?.text.map { HeaderText.clean(String($0.prefix(200))) } ?? program
        var credential = Credential(
            issuer: program, client: "exec", access: SecretValue(text), obtained: clock(), account: Account(id: account)
        )
        if case .integer(let seconds)? = json?["expires_in"] {
            credential.expires = clock() + Int(min(max(0, seconds), 315_360_000))
        }
        if case .integer(let moment)? = json?["expires_at"] { credential.expires = Int(clamping: moment) }
        return credential
    }

    @discardableResult func run(_ action: String) async throws(IngestError) -> [UInt8] {
        let request = JSONValue.object(["protocol": .integer(1), "action": .string(action)]).serialized + "\n"
        let words = options.command, seconds = Int(options.timeout.components.seconds)
        return try await Self.pool.run { () throws(IngestError) in
            try HelperProgram.run(words, input: Array(request.utf8), seconds: seconds)
        }
    }
}
