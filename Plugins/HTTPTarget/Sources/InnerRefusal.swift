import FilmgateCore
import HTTPKit

extension HTTPResponse {
    /// Throws `rejected` where a success says in its body that it is none, as many interfaces do: `{"error": "No
    /// room"}`, `{"ok": false}`.
    func requireNoRefusal() throws(IngestError) {
        guard let json, case .object = json, json.isRefusal else { return }
        let place = WebAddress(url)?.origin ?? "The server", words = ServerWords.of(self)
        let said = words.isEmpty ? "" : " It says: \(words)"
        throw IngestError(
            .rejected, "\(place) answered \(status), and in the same answer that it did not take the file.\(said)")
    }
}

extension JSONValue {
    fileprivate var isRefusal: Bool {
        for key in ["success", "ok"] where self[key] == .bool(false) { return true }
        for key in ["status", "stat", "result"] {
            if let word = self[key]?.text?.lowercased(), ["error", "fail", "failed", "failure"].contains(word) {
                return true
            }
        }
        return ["error", "errors"].contains { self[$0]?.saysSomething == true }
    }

    /// Not null, false, zero or empty.
    private var saysSomething: Bool {
        switch self {
        case .null: false
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .number(let number): number != 0
        case .string(let text): !text.isEmpty
        case .array(let items): !items.isEmpty
        case .object(let members): !members.isEmpty
        }
    }
}
