import FilmgateCore
import HTTPKit

/// What the remote says about a file.
struct RemoteFile: Sendable {
    var size: UInt64, hashes: [DigestAlgorithm: String]

    /// Whether it has the job's bytes, by the best digest that both know; nil when they share none.
    func holds(_ job: UploadJob) -> Bool? {
        guard size == job.file.size else { return false }
        for algorithm in [DigestAlgorithm.sha256, .sha1, .md5] {
            if let theirs = hashes[algorithm], let ours = job.digests[algorithm] { return theirs.lowercased() == ours }
        }
        return nil
    }
}

/// A running `rclone rcd` and one of its remotes.
struct RcloneDaemon: Sendable {
    let base: String, remote: String
    let client: HTTPClient
    /// Bytes per second for one copy: rclone itself does the sending.
    var rate: UInt64?

    /// One command; the answer's JSON.
    func ask(_ command: String, _ fields: [String: JSONValue], missing: Bool = false) async throws(IngestError) -> JSONValue? {
        let root = base.hasSuffix("/") ? base : base + "/"
        let response = try await client.send(HTTPExchange(HTTPRequest("POST", root + command), body: JSONValue.object(fields).body))
        if response.status == 200 { return response.json ?? .null }
        let words = response.json?["error"]?.text?.lowercased() ?? ""
        if missing, response.status == 404 || words.contains("not found") { return nil }
        throw Self.error(HTTPStatus.error(for: response), words)
    }

    /// The daemon answers 500 to whatever went wrong at the remote: its words tell what.
    private static func error(_ error: IngestError, _ words: String) -> IngestError {
        var error = error
        if words.contains("didn't find section in config") || words.contains("unauthorized") || words.contains("permission denied") {
            error.code = .unauthorized
        } else if words.contains("no space left") || words.contains("quota") || words.contains("insufficient") {
            error.code = .storageFull
        }
        return error
    }

    /// The names in a folder, none when it is not there.
    func names(in folder: String) async throws(IngestError) -> Set<String>? {
        let options = JSONValue.object(["noModTime": .bool(true), "noMimeType": .bool(true)])
        let answer = try await ask("operations/list", ["fs": .string(remote), "remote": .string(folder), "opt": options], missing: true)
        guard let answer else { return [] }
        guard case .array(let items)? = answer["list"] else { return answer["list"] == .null ? [] : nil }
        return Set(items.compactMap { $0["Name"]?.text })
    }

    func stat(_ path: String) async throws(IngestError) -> RemoteFile? {
        let fields: [String: JSONValue] = [
            "fs": .string(remote), "remote": .string(path), "opt": .object(["showHash": .bool(true), "noMimeType": .bool(true)]),
        ]
        guard let item = try await ask("operations/stat", fields, missing: true)?["item"], case .object = item else { return nil }
        var hashes: [DigestAlgorithm: String] = [:]
        for (name, algorithm) in [("sha256", DigestAlgorithm.sha256), ("sha1", .sha1), ("md5", .md5)] {
            if let text = item["Hashes"]?[name]?.text, !text.isEmpty { hashes[algorithm] = text }
        }
        return RemoteFile(size: item["Size"]?.text.flatMap { UInt64($0) } ?? .max, hashes: hashes)
    }

    /// Copies a file of this machine; ends the copy when the task is cancelled.
    func copy(_ file: String, to path: String, polling interval: Duration) async throws(IngestError) {
        let slash = file.utf8.lastIndex(of: 0x2F) ?? file.utf8.startIndex
        var fields: [String: JSONValue] = [
            "srcFs": .string(String(file[...slash])), "srcRemote": .string(String(file[file.utf8.index(after: slash)...])),
            "dstFs": .string(remote), "dstRemote": .string(path), "_async": .bool(true),
        ]
        if let rate { fields["_config"] = .object(["BwLimitFile": .string("\(max(1, rate))B")]) }
        guard let job = try await ask("operations/copyfile", fields)?["jobid"] else {
            throw IngestError(.unavailable, "rclone did not begin the copy.")
        }
        while true {
            guard let status = try await ask("job/status", ["jobid": job]) else { return }
            if status["finished"] == .bool(true) {
                if status["success"] == .bool(true) { return }
                let words = String(HeaderText.clean(status["error"]?.text ?? "no reason given").prefix(200))
                throw Self.error(IngestError(.unavailable, "rclone could not copy the file: \(words)."), words.lowercased())
            }
            do { try await Task.sleep(for: interval) } catch {
                let client = self
                await Task { _ = try? await client.ask("job/stop", ["jobid": job]) }.value
                throw IngestError(.cancelled, "Stopped while rclone was copying.")
            }
        }
    }
}
