import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import ImmichTarget

/// A double of an Immich server, built from its documented interface; it recognises uploads by their
/// `x-immich-checksum` once it has their bytes.
///
/// It is not the real server.
final class ImmichDouble: Sendable {
    enum Release: Sendable { case v1, v3Strict }
    struct State {
        var assets: [String: String] = [:], files: [String: Int] = [:], albums: [String: String] = [:], refusedOld = 0
        /// Ids of what lies in the bin, and of what is in some album; `closed` albums take nothing.
        var bin: Set<String> = [], grouped: Set<String> = [], closed = false
        /// What the key may do beyond uploading, and the originals by their ids, in the bin or not.
        var rights: Set<String> = [], originals: [String: String] = [:]
        /// Albums of others that are shared with the account, and what lies in them.
        var foreign: [String: String] = [:], inForeign: Set<String> = []
        /// Whether the key may know whose account it is, and whether albums say whose they are.
        var tellsAccount = true, tellsOwners = true
    }
    let state = Mutex(State())
    let release: Release

    init(_ release: Release) { self.release = release }

    static func start(_ release: Release) throws -> (double: ImmichDouble, server: FaultServer) {
        let double = ImmichDouble(release)
        return (double, try FaultServer { seen, _ in double.answer(seen) })
    }

    var count: Int { state.withLock { $0.assets.count } }

    /// Assets with these bytes, as they arrived.
    func copies(_ sha256: String) -> Int { state.withLock { $0.files[sha256] ?? 0 } }

    func holds(_ sha1: String) -> Bool { state.withLock { $0.assets[sha1] != nil } }

    private func answer(_ seen: FaultServer.Seen) -> FaultAct {
        guard seen[header: "x-api-key"] == "key" || seen[header: "Authorization"]?.hasPrefix("Bearer ") == true else {
            return .answer(401, body: #"{"message":"Invalid API key","statusCode":401}"#)
        }
        switch (seen.method, seen.target) {
        case ("GET", "/api/users/me"):
            return state.withLock(\.tellsAccount)
                ? .answer(200, body: #"{"id":"me"}"#) : .answer(403, body: #"{"message":"No"}"#)
        case ("GET", "/api/server/version"): return .answer(200, body: "{}")
        case ("POST", "/api/assets"): return .compute { self.upload($0) }
        case ("POST", "/api/assets/bulk-upload-check"): return .compute { self.known($0) }
        case ("GET", let path) where path == "/api/albums" || path.hasPrefix("/api/albums?"):
            return albums(path.split(separator: "?").dropFirst().first.map(String.init) ?? "")
        case ("POST", "/api/albums"):
            state.withLock { $0.albums["wedding"] = "a-1" }
            return .answer(201, body: #"{"id":"a-1","albumName":"wedding"}"#)
        case ("PUT", "/api/albums/a-1/assets"): return .compute { self.group($0) }
        case ("POST", "/api/stacks"): return .answer(201, body: #"{"id":"s-1"}"#)
        case ("GET", let path) where path.hasPrefix("/api/assets/"):
            let parts = path.split(separator: "/").dropFirst(2).map(String.init)
            return show(parts.first ?? "", original: parts.last == "original")
        default: return .answer(404, body: #"{"message":"Cannot \#(seen.method)","statusCode":404}"#)
        }
    }

    /// The list of albums; shared ones are in it from release 3 on, and always in that of one file.
    private func albums(_ query: String) -> FaultAct {
        let state = state.withLock(\.self), asset = query.hasPrefix("assetId=") ? String(query.dropFirst(8)) : nil
        func item(_ pair: (key: String, value: String), _ owner: String) -> String {
            #"{"id":"\#(pair.value)","albumName":"\#(pair.key)"\#(state.tellsOwners ? #","ownerId":"\#(owner)""# : "")}"#
        }
        let own = state.albums.filter { _ in asset.map { state.grouped.contains($0) } ?? true }.map { item($0, "me") }
        let isShared = asset.map { state.inForeign.contains($0) } ?? (release == .v3Strict && query != "isOwned=true")
        let foreign = isShared ? state.foreign.map { item($0, "somebody") } : []
        return .answer(200, body: "[" + (foreign + own).joined(separator: ",") + "]")
    }

    /// An asset or its original, to a key that has the right.
    private func show(_ id: String, original: Bool) -> FaultAct {
        let state = state.withLock(\.self), right = original ? "asset.download" : "asset.read"
        guard state.rights.contains(right) else {
            return .answer(403, body: #"{"message":"Missing required permission: \#(right)","statusCode":403}"#)
        }
        guard state.assets.values.contains(id) else {
            return .answer(400, body: #"{"message":"Not found or no \#(right) access","statusCode":400}"#)
        }
        if original { return .answer(200, headers: [("Content-Type", "image/jpeg")], body: state.originals[id] ?? "") }
        return .answer(200, body: #"{"id":"\#(id)","isTrashed":\#(state.bin.contains(id))}"#)
    }

    /// Which of the client's files it has, by SHA-1.
    private func known(_ seen: FaultServer.Seen) -> FaultAct {
        guard let sha1 = JSONValue(seen.body)?.at("assets.0.checksum")?.text else { return .answer(400, body: "{}") }
        let (id, isBinned) = state.withLock { state in
            (state.assets[sha1], state.assets[sha1].map { state.bin.contains($0) } ?? false)
        }
        let action =
            id.map { #""action":"reject","reason":"duplicate","isTrashed":\#(isBinned),"assetId":"\#($0)""# }
            ?? #""action":"accept""#
        let nothing = JSONValue(seen.body)?.at("assets.1.id")?.text.map { #",{"id":"\#($0)","action":"accept"}"# } ?? ""
        return .answer(200, body: #"{"results":[{"id":"\#(sha1)",\#(action)}\#(nothing)]}"#)
    }

    private func group(_ seen: FaultServer.Seen) -> FaultAct {
        state.withLock { state in
            if state.closed { return .answer(503, body: #"{"message":"later","statusCode":503}"#) }
            if let id = JSONValue(seen.body)?.at("ids.0")?.text { state.grouped.insert(id) }
            return .answer(200, body: #"[{"id":"x","success":true}]"#)
        }
    }

    private func upload(_ seen: FaultServer.Seen) -> FaultAct {
        let sha1 = seen[header: "x-immich-checksum"] ?? ""
        return state.withLock { state in
            if release == .v3Strict, state.refusedOld == 0 {
                state.refusedOld += 1
                return .answer(400, body: #"{"message":["property deviceAssetId should not exist"],"statusCode":400}"#)
            }
            if let id = state.assets[sha1] { return .answer(200, body: #"{"id":"\#(id)","status":"duplicate"}"#) }
            let id = "asset-\(state.assets.count + 1)"
            state.assets[sha1] = id
            state.files[seen.fileDigest, default: 0] += 1
            return .answer(201, body: #"{"id":"\#(id)","status":"created"}"#)
        }
    }
}

struct KeyAuth: AuthProvider {
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("x-api-key", "key")
        return signed
    }
}

func target(
    _ url: String, _ auth: any AuthProvider = KeyAuth(), logger: Logger = Logger(label: "test"),
    _ edit: (inout ImmichOptions) -> Void = { _ in }
) throws -> ImmichTarget {
    var options = ImmichOptions()
    options.url = try #require(AddressTemplate(url))
    options.web.auth = try AuthReference(node: ConfigNode(.scalar("key", quoted: true)))
    edit(&options)
    let context = ModuleContext(
        name: "photos", logger: logger, state: Temporary.folder, lookup: Lookup(auth: ["key": auth]))
    return try ImmichTarget(options, context)
}
