import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization

/// A double of a deployment and its storage, by the documented interface: the storage compares digests, and the app's
/// `files:save` takes each SHA-256 once.
///
/// It is not the real service.
final class ConvexDouble: Sendable {
    private struct State { var addresses = 0, stored: [String: String] = [:], documents: [String: String] = [:] }
    private let state = Mutex(State())

    static func start() throws -> (double: ConvexDouble, server: FaultServer) {
        let double = ConvexDouble()
        return (double, try FaultServer { _, _ in .compute { double.answer($0) } })
    }

    /// Documents whose stored file has these bytes.
    func copies(_ sha256: String) -> Int { state.withLock { $0.documents[sha256] == nil ? 0 : 1 } }

    private func answer(_ seen: FaultServer.Seen) -> FaultAct {
        if seen.target.hasPrefix("/api/storage/upload?token=") { return store(seen) }
        guard seen[header: "Authorization"]?.hasPrefix("Bearer ") == true else {
            return .answer(401, body: #"{"code":"Unauthenticated","message":"Could not authenticate"}"#)
        }
        guard let call = JSONValue(seen.body), let path = call["path"]?.text else { return .answer(400, body: "{}") }
        switch path {
        case "files:generateUploadUrl":
            let number = state.withLock { state in
                state.addresses += 1
                return state.addresses
            }
            return value("\"http://\(seen[header: "Host"] ?? "")/api/storage/upload?token=t\(number)\"")
        case "files:bySha256":
            let known = state.withLock { $0.documents[call.at("args.sha256")?.text ?? ""] }
            return value(known.map { "\"\($0)\"" } ?? "null")
        case "files:save": return save(call)
        default: return .answer(200, body: #"{"status":"error","errorMessage":"Could not find public function"}"#)
        }
    }

    private func value(_ text: String) -> FaultAct { .answer(200, body: #"{"status":"success","value":\#(text)}"#) }

    private func store(_ seen: FaultServer.Seen) -> FaultAct {
        guard seen[header: "Authorization"] == nil else {
            return .answer(400, body: #"{"code":"InvalidStorageToken","message":"m"}"#)
        }
        let promised = seen[header: "Digest"]?.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
        guard promised == Base64.text(of: Hex.bytes(seen.fileDigest) ?? []) else {
            return .answer(400, body: #"{"code":"Sha256Mismatch","message":"The digest differs"}"#)
        }
        let id = state.withLock { state in
            let id = "kg\(state.stored.count + 1)"
            state.stored[id] = seen.fileDigest
            return id
        }
        return .answer(200, body: #"{"storageId":"\#(id)"}"#)
    }

    private func save(_ call: JSONValue) -> FaultAct {
        state.withLock { state in
            guard let sha256 = state.stored[call.at("args.storageId")?.text ?? ""],
                sha256 == call.at("args.sha256")?.text
            else {
                return .answer(200, body: #"{"status":"error","errorMessage":"No such file"}"#)
            }
            guard state.documents[sha256] == nil else {
                return .answer(200, body: #"{"status":"error","errorMessage":"Uncaught Error: already exists"}"#)
            }
            let id = "doc\(state.documents.count + 1)"
            state.documents[sha256] = id
            return value("\"\(id)\"")
        }
    }
}
