import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FrameFastTarget

/// A double of the service and its storage, by the interface's description; storage refuses requests whose headers are not the signed ones.
///
/// It is not the real service.
final class FrameFastDouble: Sendable {
    struct Upload { var state = "pending", key = 1, stored = false, polls = 0, sha256 = "" }
    struct State {
        var uploads: [String: Upload] = [:], credits = 100, gone = false, expireNext = 0, loseNext = 0, silentNext = 0, consented = false,
            askedConsent = 0,
            /// Nothing is completed before so many pictures are stored; the longest list that was asked about.
            processesUntil = 0, most = 0,
            order: [String] = []
    }
    let state = Mutex(State())

    /// Pictures with these bytes, as the storage got them.
    func copies(_ sha256: String) -> Int { state.withLock { $0.uploads.values.count { $0.stored && $0.sha256 == sha256 } } }

    static func start(_ edit: (inout State) -> Void = { _ in }) throws -> (double: FrameFastDouble, server: FaultServer) {
        let double = FrameFastDouble()
        double.state.withLock { edit(&$0) }
        let server = try FaultServer { seen, _ in double.answer(seen) }
        return (double, server)
    }

    private func answer(_ seen: FaultServer.Seen) -> FaultAct {
        if seen.target.hasPrefix("/bucket/") { return .compute { self.store($0) } }
        guard seen[header: "Authorization"]?.hasPrefix("Bearer ") == true, seen[header: "traceparent"]?.count == 55 else {
            return .answer(401, body: #"{"error":{"code":"UNAUTHENTICATED","message":"Authentication required"}}"#)
        }
        return state.withLock { state in
            if state.gone { return .answer(410, body: #"{"error":{"code":"GONE","message":"This event has expired"}}"#) }
            if seen.target == "/consent" {
                state.askedConsent += 1
                defer { if seen.method == "POST" { state.consented = true } }
                return .answer(seen.method == "POST" ? 201 : 200, body: #"{"data":{"isConsented":\#(state.consented)}}"#)
            }
            if seen.target == "/uploads/presign" { return begin(seen, &state) }
            if seen.target.hasSuffix("/presign") { return again(seen, &state) }
            if seen.target.hasPrefix("/uploads/status") { return report(seen, &state) }
            return .answer(200, body: #"{"data":{}}"#)
        }
    }

    private func begin(_ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        guard state.credits > 0 else {
            return .answer(402, body: #"{"error":{"code":"PAYMENT_REQUIRED","message":"Insufficient credits"}}"#)
        }
        let id = "u\(state.uploads.count + 1)"
        state.uploads[id] = Upload()
        return ticket(seen, id, 1, 201)
    }

    private func again(_ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        let id = String(seen.target.split(separator: "/")[1])
        guard var upload = state.uploads[id] else { return .answer(404, body: "{}") }
        guard upload.state == "pending" || upload.state == "expired" || upload.state == "failed" else {
            return .answer(409, body: #"{"error":{"code":"CONFLICT","message":"Cannot re-presign: upload is \#(upload.state)"}}"#)
        }
        (upload.state, upload.key) = ("pending", upload.key + 1)
        state.uploads[id] = upload
        return ticket(seen, id, upload.key, 200)
    }

    /// The storage has the address that the client came to: a proxy stays in between.
    private func ticket(_ seen: FaultServer.Seen, _ id: String, _ key: Int, _ status: Int) -> FaultAct {
        let url = "http://\(seen[header: "Host"] ?? "")/bucket/\(id)/\(key)?X-Amz-Signature=s3cr3tsig"
        let headers = #"{"Content-Type":"image/jpeg","Content-Length":"100000","If-None-Match":"*","x-amz-meta-traceparent":"t"}"#
        return .answer(status, body: #"{"data":{"uploadId":"\#(id)","putUrl":"\#(url)","objectKey":"k","requiredHeaders":\#(headers)}}"#)
    }

    /// The storage: the signed headers and no others that count, or 403.
    private func store(_ seen: FaultServer.Seen) -> FaultAct {
        let parts = seen.target.split(separator: "?")[0].split(separator: "/").map(String.init)
        let isSigned =
            seen[header: "If-None-Match"] == "*" && seen[header: "x-amz-meta-traceparent"] == "t"
            && seen[header: "Content-Type"] == "image/jpeg"
        guard isSigned, seen[header: "Authorization"] == nil, seen[header: "traceparent"] == nil else {
            return .answer(403, body: "<Error/>")
        }
        return state.withLock { state in
            if state.expireNext > 0 {
                state.expireNext -= 1
                return .answer(403, body: "<Error><Code>AccessDenied</Code></Error>")
            }
            guard var upload = state.uploads[parts[1]], String(upload.key) == parts[2] else { return .answer(403) }
            if upload.stored { return .answer(412) }
            (upload.stored, upload.state, upload.sha256) = (true, "processing", seen.fileDigest)
            state.uploads[parts[1]] = upload
            if state.loseNext > 0 {
                state.loseNext -= 1
                return .hangUpAfterBody
            }
            return .answer(200)
        }
    }

    private func report(_ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        let ids = seen.target.split(separator: "=").last?.split(separator: ",").map(String.init) ?? []
        guard (1...50).contains(ids.count) else { return .answer(400, body: #"{"success":false,"error":{"name":"ZodError"}}"#) }
        if state.silentNext > 0 {
            state.silentNext -= 1
            return .answer(200, body: #"{"data":[]}"#)
        }
        state.most = max(state.most, ids.count)
        var items: [String] = []
        let mayComplete = state.uploads.values.count { $0.stored } >= state.processesUntil
        for id in ids {
            guard var upload = state.uploads[id] else { continue }
            if upload.state == "processing", mayComplete {
                upload.polls += 1
                if upload.polls > 1 { upload.state = "completed" }
            }
            state.uploads[id] = upload
            let photo = upload.state == "completed" ? "\"p-\(id)\"" : "null"
            items.append(
                #"{"uploadId":"\#(id)","eventId":"e","status":"\#(upload.state)","errorCode":null,"errorMessage":null,"photoId":\#(photo)}"#
            )
        }
        return .answer(200, body: "{\"data\":[" + items.joined(separator: ",") + "]}")
    }
}

struct TokenAuth: AuthProvider {
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("Authorization", "Bearer token")
        return signed
    }
}

/// A state directory of its own per target, unless one is given.
func target(
    _ url: String, state: String? = nil, _ auth: any AuthProvider = TokenAuth(), logger: Logger = Logger(label: "test"),
    _ edit: (inout FrameFastOptions) -> Void = { _ in }
) throws -> FrameFastTarget {
    var options = FrameFastOptions()
    (options.url, options.event) = (try #require(AddressTemplate(url)), "e")
    (options.poll, options.patience) = (.milliseconds(10), .seconds(20))
    options.web.auth = try AuthReference(node: ConfigNode(.scalar("account", quoted: true)))
    edit(&options)
    let context = ModuleContext(
        name: "event", logger: logger, state: state ?? Temporary.folder, lookup: Lookup(auth: ["account": auth]))
    return try FrameFastTarget(options, context)
}
