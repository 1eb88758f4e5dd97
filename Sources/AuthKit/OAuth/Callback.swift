public import FilmgateCore
import HTTPKit
import Synchronization

/// What a browser brought back.
public struct Callback: Sendable {
    public let values: [String: String]

    /// From the part of an address behind its `?`.
    public init(query: String) {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&").prefix(64) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ")
            }
            if let name = Percent.decode(parts[0]), let value = Percent.decode(parts.count > 1 ? parts[1] : "") {
                values[name] = value
            }
        }
        self.values = values
    }

    /// Waits until the browser comes back with our `state`, or asks for the address where it ended.
    ///
    /// The first answer to another question is told, and no further one: any page can send them.
    public static func answer(
        _ listener: LoopbackListener, _ prompter: any SignInPrompter, state: String, paste: Bool
    ) async throws(IngestError) -> Callback {
        guard paste else {
            let isTold = Atomic(false)
            let query = try await listener.answer(seconds: 300) { query in
                if Callback(query: query).values["state"].map({ PKCE.same($0, state) }) ?? false { return true }
                if !isTold.exchange(true, ordering: .relaxed) { Task { await prompter.tell(strange) } }
                return false
            }
            return Callback(query: query)
        }
        let text = try await prompter.ask(
            "Paste the address where the browser ended (a page that cannot be shown)", hidden: true)
        guard let mark = text.firstIndex(of: "?") else {
            throw IngestError(
                .unauthorized, "That is not the whole address: it holds no `?code=`.",
                advice: "Run `filmgate login` again.")
        }
        return Callback(query: String(text[text.index(after: mark)...].prefix { $0 != "#" && !$0.isWhitespace }))
    }

    private static let strange =
        "The browser came back with the answer to another sign-in, such as that of an older page; it was not used. "
        + "Finish the sign-in in the page that was opened last, or open the address above once more. Still waiting."

    /// The code, when this answers our own question.
    ///
    /// `namesIssuer`: the provider promises to say in each answer that it is its own (RFC 9207 §2.4); one that does not
    /// may be another's.
    public func code(state: String, issuer: String?, namesIssuer: Bool = false) throws(IngestError) -> String {
        guard let said = values["state"], PKCE.same(said, state) else {
            throw IngestError(
                .unauthorized, "What came back is not the answer to this sign-in; it was dropped.",
                advice: "Run `filmgate login` again.")
        }
        if let issuer, let said = values["iss"], said != issuer {
            throw IngestError(.unauthorized, "The answer comes from another provider; it was dropped.")
        }
        if namesIssuer, values["iss"] == nil {
            throw IngestError(
                .unauthorized,
                "The answer does not say which provider it comes from, although the provider promises that; it was dropped.",
                advice:
                    "Run `filmgate login` again; where it stays so, what stands between browser and provider cuts addresses short."
            )
        }
        if let error = values["error"] {
            let words = values["error_description"].map { " (\(HeaderText.clean(String($0.prefix(200)))))" } ?? ""
            throw IngestError(
                .unauthorized, "The sign-in was refused: \(HeaderText.clean(String(error.prefix(64))))\(words).")
        }
        guard let code = values["code"], !code.isEmpty else {
            throw IngestError(.unauthorized, "The browser came back without a code.")
        }
        return code
    }
}
