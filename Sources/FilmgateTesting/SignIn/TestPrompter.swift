public import FilmgateCore
import HTTPKit
import Synchronization

/// A person who signs in as told: opens what is shown with a browser of curl, or answers questions from a list.
public final class TestPrompter: SignInPrompter {
    private let state = Mutex<(shown: [SignInPrompt], answers: [String], said: [String])>(([], [], []))
    private let opens: Bool, transport = CurlTransport()

    /// `opens`: goes to invited addresses and follows their redirects, back to this machine too.
    public init(opens: Bool = false, answers: [String] = []) {
        self.opens = opens
        state.withLock { $0.answers = answers }
    }

    public var invitations: [SignInPrompt] { state.withLock { $0.shown } }
    /// Everything that the person saw, in one text.
    public var screen: String {
        state.withLock { state in
            (state.said + state.shown.map { "\($0.url) \($0.code ?? "") \($0.completeURL ?? "")" }).joined(
                separator: "\n")
        }
    }
    /// Where the browser was sent at the end.
    public func landing(of prompt: SignInPrompt) async throws(IngestError) -> String? {
        let response = try await transport.send(HTTPExchange(HTTPRequest("GET", prompt.url)))
        return response[header: "Location"]
    }

    public func invite(_ prompt: SignInPrompt) async {
        state.withLock { $0.shown.append(prompt) }
        guard opens else { return }
        let transport = transport
        Task {
            var next: String? = prompt.url
            for _ in 0..<4 {
                guard let address = next else { return }
                next = (try? await transport.send(HTTPExchange(HTTPRequest("GET", address))))?[header: "Location"]
            }
        }
    }

    public func ask(_ question: String, hidden: Bool) async throws(IngestError) -> String {
        // The last answer may be an address that is only known by now.
        let answer: String? = state.withLock { state in
            state.said.append(question)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        if let answer { return answer }
        guard let prompt = invitations.last, let landing = try await landing(of: prompt) else {
            throw IngestError(.unauthorized, "Nobody is there to ask.")
        }
        return landing
    }

    public func tell(_ sentence: String) async { state.withLock { $0.said.append(sentence) } }
}
