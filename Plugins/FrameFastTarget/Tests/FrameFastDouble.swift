import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FrameFastTarget

/// A double of the service and its storage, by the interface's description; storage refuses requests whose headers are
/// not the signed ones.
///
/// It is not the real service.
final class FrameFastDouble: Sendable {
    struct Upload { var state = "pending", key = 1, stored = false, polls = 0, sha256 = "", code = "" }
    struct State {
        /// `creditsOnceStored`: somebody else spends the others when a picture has arrived.
        var uploads: [String: Upload] = [:], credits = 100, creditsOnceStored: Int?, gone = false, expireNext = 0
        var loseNext = 0
        var silentNext = 0, consented = false
        var askedConsent = 0,
            /// What `/health` answers, and how often it was asked; the address is there at all.
            health = #"{"status":"ok","timestamp":1790000000000}"#, healthStatus = 200, askedHealth = 0,
            /// Bytes of failed uploads are cleared away.
            isCleared = false, takenUp = 0,
            /// The service's own limits of size and kind, which the engine keeps to before it sends anything.
            sizes: ClosedRange<Int64> = 1...(20 << 20), isChoosy = true,
            /// Nothing is completed before so many pictures are stored; the longest list that was asked about.
            processesUntil = 0, most = 0,
            order: [String] = []
    }
    let state = Mutex(State())

    /// Pictures with these bytes, as the storage got them.
    func copies(_ sha256: String) -> Int {
        state.withLock { $0.uploads.values.count { $0.stored && $0.sha256 == sha256 } }
    }

    static func start(_ edit: (inout State) -> Void = { _ in }) throws -> (double: FrameFastDouble, server: FaultServer)
    {
        let double = FrameFastDouble()
        double.state.withLock { edit(&$0) }
        let server = try FaultServer { seen, _ in double.answer(seen) }
        return (double, server)
    }

    private func answer(_ seen: FaultServer.Seen) -> FaultAct {
        if seen.target.hasPrefix("/bucket/") { return .compute { self.store($0) } }
        if seen.target == "/health" { return health(seen) }
        if seen.target == "/uploads/presign" { return .compute { self.checked($0) } }
        guard Self.isKnown(seen) else { return Self.unknown }
        return state.withLock { state in
            if state.gone {
                return .answer(410, body: #"{"error":{"code":"GONE","message":"This event has expired"}}"#)
            }
            if seen.target == "/consent" {
                state.askedConsent += 1
                defer { if seen.method == "POST" { state.consented = true } }
                return .answer(
                    seen.method == "POST" ? 201 : 200, body: #"{"data":{"isConsented":\#(state.consented)}}"#)
            }
            if seen.target == "/dashboard" {
                let credits = #"{"balance":\#(state.credits),"nearestExpiry":"2026-12-01T00:00:00.000Z"}"#
                return .answer(
                    200, body: #"{"data":{"credits":\#(credits),"events":[],"stats":{"totalPhotos":0,"totalFaces":0}}}"#
                )
            }
            if seen.target.hasPrefix("/uploads/events/e/"), seen.method == "POST" { return takeUp(seen, &state) }
            if seen.target.hasSuffix("/presign") { return again(seen, &state) }
            if seen.target.hasPrefix("/uploads/status") { return report(seen, &state) }
            return .answer(200, body: #"{"data":{}}"#)
        }
    }

    private static let unknown = FaultAct.answer(
        401, body: #"{"error":{"code":"UNAUTHENTICATED","message":"Authentication required"}}"#)
    private static func isKnown(_ seen: FaultServer.Seen) -> Bool {
        seen[header: "Authorization"]?.hasPrefix("Bearer ") == true && seen[header: "traceparent"]?.count == 55
    }

    /// For anybody: a credential has no business there.
    private func health(_ seen: FaultServer.Seen) -> FaultAct {
        guard seen[header: "Authorization"] == nil, seen.method == "GET" else { return .answer(400) }
        return state.withLock { state in
            state.askedHealth += 1
            return .answer(state.healthStatus, headers: [("Content-Type", "application/json")], body: state.health)
        }
    }

    /// Takes JSON of the right shape only, for its own event and of a size that it stores.
    private func checked(_ seen: FaultServer.Seen) -> FaultAct {
        guard Self.isKnown(seen) else { return Self.unknown }
        guard seen[header: "Content-Type"]?.hasPrefix("application/json") == true, let json = JSONValue(seen.body),
            json["eventId"]?.text == "e", case .integer(let length)? = json["contentLength"],
            state.withLock({ state in
                state.sizes.contains(length)
                    && (!state.isChoosy
                        || ["image/jpeg", "image/png", "image/webp"].contains(json["contentType"]?.text))
            })
        else { return .answer(400, body: #"{"success":false,"error":{"issues":[],"name":"ZodError"}}"#) }
        return state.withLock { state in
            if state.gone {
                return .answer(410, body: #"{"error":{"code":"GONE","message":"This event has expired"}}"#)
            }
            return begin(seen, &state)
        }
    }

    /// What failed for want of credits goes on with the bytes that are there, unless they were cleared away.
    private func takeUp(_ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        let parts = seen.target.split(separator: "/").map(String.init)
        let ids = parts[3] == "retry-all" ? Array(state.uploads.keys) : parts.last == "retry" ? [parts[3]] : []
        let found = ids.filter {
            state.uploads[$0]?.state == "failed" && state.uploads[$0]?.code == "insufficient_credits"
        }
        if state.credits <= 0 {
            return .answer(402, body: #"{"error":{"code":"PAYMENT_REQUIRED","message":"Insufficient credits"}}"#)
        }
        for id in found where !state.isCleared {
            guard var upload = state.uploads[id] else { continue }
            (upload.state, upload.polls, upload.code) = ("processing", 0, "")
            state.uploads[id] = upload
            state.takenUp += 1
        }
        let counts = state.isCleared ? (0, found.count) : (found.count, 0)
        return .answer(
            200, body: #"{"data":{"found":\#(found.count),"requeued":\#(counts.0),"cleaned":\#(counts.1),"failed":0}}"#)
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
            return .answer(
                409, body: #"{"error":{"code":"CONFLICT","message":"Cannot re-presign: upload is \#(upload.state)"}}"#)
        }
        // The new address is for new bytes.
        (upload.state, upload.key, upload.stored, upload.code, upload.polls) = ("pending", upload.key + 1, false, "", 0)
        state.uploads[id] = upload
        return ticket(seen, id, upload.key, 200)
    }

    /// The storage has the address that the client came to: a proxy stays in between.
    private func ticket(_ seen: FaultServer.Seen, _ id: String, _ key: Int, _ status: Int) -> FaultAct {
        let url = "http://\(seen[header: "Host"] ?? "")/bucket/\(id)/\(key)?X-Amz-Signature=s3cr3tsig"
        let headers =
            #"{"Content-Type":"image/jpeg","Content-Length":"100000","If-None-Match":"*","x-amz-meta-traceparent":"t"}"#
        return .answer(
            status,
            body: #"{"data":{"uploadId":"\#(id)","putUrl":"\#(url)","objectKey":"k","requiredHeaders":\#(headers)}}"#)
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
            state.credits = state.creditsOnceStored ?? state.credits
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
        guard (1...50).contains(ids.count) else {
            return .answer(400, body: #"{"success":false,"error":{"name":"ZodError"}}"#)
        }
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
                if upload.polls > 1, state.credits > 0 {
                    (upload.state, state.credits) = ("completed", state.credits - 1)
                } else if upload.polls > 1 {
                    (upload.state, upload.code) = ("failed", "insufficient_credits")
                }
            }
            state.uploads[id] = upload
            let photo = upload.state == "completed" ? "\"p-\(id)\"" : "null"
            let code = upload.code.isEmpty ? "null" : "\"\(upload.code)\""
            items.append(
                #"{"uploadId":"\#(id)","eventId":"e","status":"\#(upload.state)","errorCode":\#(code),"errorMessage":null,"#
                    + #""photoId":\#(photo)}"#)
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
