import FilmgateCore
import HTTPKit

/// What the remote says about a file.
struct RemoteFile: Sendable {
    /// Nil where the remote does not know it before the file is read.
    var size: UInt64?
    var hashes: [DigestAlgorithm: String]

    /// Whether it has the job's bytes, by the best digest that both know; nil when they share none.
    ///
    /// Some remotes tell no size: that is no sign of other bytes.
    func holds(_ job: UploadJob) -> Bool? {
        if let size, size != job.file.size { return false }
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
    /// The longest pause between two questions how far a job is.
    var interval: Duration
    let digest = RemoteDigest(), failures = JobFailures()

    /// One command; the answer's JSON.
    func ask(_ command: String, _ fields: JSONObject, missing: Bool = false) async throws(IngestError) -> JSONValue? {
        let root = base.hasSuffix("/") ? base : base + "/"
        let response = try await client.deliver(
            HTTPExchange(HTTPRequest("POST", root + command), body: JSONValue.object(fields).body))
        if response.status == 200 { return response.json ?? .null }
        let words = response.json?["error"]?.text?.lowercased() ?? ""
        if missing, Self.saysMissing(words) { return nil }
        throw Self.error(HTTPStatus.error(for: response), words)
    }

    /// 404 is also said by a daemon that does not know the command, and by whatever else answers there.
    private static func saysMissing(_ words: String) -> Bool {
        words.contains("directory not found") || words.contains("object not found")
    }

    /// The daemon answers 500 to whatever went wrong at the remote: its words tell what.
    static func error(_ error: IngestError, _ words: String) -> IngestError {
        var error = error
        if words.contains("didn't find section in config") || words.contains("unauthorized")
            || words.contains("permission denied")
        {
            error.code = .unauthorized
        } else if words.contains("no space left") || words.contains("quota") || words.contains("insufficient") {
            error.code = .storageFull
        }
        return error
    }

    /// The names in a folder, none when it is not there; nil when one of them is not told rightly.
    ///
    /// JSON has only Unicode: the daemon writes U+FFFD for what is none.
    func names(in folder: String) async throws(IngestError) -> Set<String>? {
        let options = JSONValue.object(["noModTime": .bool(true), "noMimeType": .bool(true)])
        let answer = try await ask(
            "operations/list", ["fs": .string(remote), "remote": .string(folder), "opt": options], missing: true)
        guard let answer else { return [] }
        guard case .array(let items)? = answer["list"] else { return answer["list"] == .null ? [] : nil }
        let names = items.compactMap { $0["Name"]?.text.flatMap { ListedName.of($0.utf8) } }
        return names.count == items.count ? Set(names) : nil
    }

    /// What is there, with one digest of the remote's.
    ///
    /// Asked as a job: a remote that reads a clip to digest it takes longer than any answer should.
    func stat(_ path: String) async throws(IngestError) -> RemoteFile? {
        let algorithm = try await bestDigest()
        return try await judged("stat", path) { () async throws(IngestError) in try await stat(path, algorithm) }
    }

    /// The best digest that the remote and we know; nil when they share none.
    func bestDigest() async throws(IngestError) -> DigestAlgorithm? {
        try await digest.choice { () async throws(IngestError) in try await digestNames() }
    }

    /// What is there, with the digest that is asked for; nil asks for none.
    func stat(_ path: String, _ algorithm: DigestAlgorithm?) async throws(IngestError) -> RemoteFile? {
        var options: JSONObject = ["noMimeType": .bool(true)]
        if let algorithm {
            (options["showHash"], options["hashTypes"]) = (.bool(true), .array([.string(algorithm.rawValue)]))
        }
        let fields: JSONObject = ["fs": .string(remote), "remote": .string(path), "opt": .object(options)]
        let answer: JSONValue?
        do throws(IngestError) { answer = try await job("operations/stat", fields, "say what it holds") } catch {
            guard error.code != .cancelled, Self.saysMissing(error.message.lowercased()) else { throw error }
            return nil
        }
        if answer?["item"] == .null { return nil }
        guard let item = answer?["item"], case .object = item else {
            throw IngestError(.unavailable, "rclone does not say whether \(path) is there.")
        }
        var hashes: [DigestAlgorithm: String] = [:]
        if let algorithm, let text = item["Hashes"]?[algorithm.rawValue]?.text, !text.isEmpty {
            hashes[algorithm] = text
        }
        return RemoteFile(size: item["Size"]?.text.flatMap { UInt64($0) }, hashes: hashes)
    }

    /// What the remote can digest with; asked for all that it knows, a folder of disks reads each file for each of
    /// nine.
    private func digestNames() async throws(IngestError) -> [String] {
        guard case .array(let names)? = try await ask("operations/fsinfo", ["fs": .string(remote)])?["Hashes"] else {
            return []
        }
        return names.compactMap(\.text)
    }
}

/// Which of a remote's digests is asked for; the remote is asked once.
actor RemoteDigest {
    private var known: DigestAlgorithm??

    /// The best that we know, too; nil when there is none.
    func choice(_ ask: @Sendable () async throws(IngestError) -> [String]) async throws(IngestError) -> DigestAlgorithm?
    {
        if let known { return known }
        let names = try await ask(), best = [DigestAlgorithm.sha256, .sha1, .md5].first { names.contains($0.rawValue) }
        known = .some(best)
        return best
    }
}
