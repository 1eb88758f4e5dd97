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
    let digest = RemoteDigest()

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
    private static func error(_ error: IngestError, _ words: String) -> IngestError {
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
    func stat(_ path: String) async throws(IngestError) -> RemoteFile? { try await stat(path, try await bestDigest()) }

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

    /// Copies a file of this machine; ends the copy when the task is cancelled.
    ///
    /// False when nothing was sent: something has the name.
    func copy(_ file: String, to path: String) async throws(IngestError) -> Bool {
        let slash = file.utf8.lastIndex(of: 0x2F) ?? file.utf8.startIndex
        var fields: JSONObject = [
            "srcFs": .string(String(file[...slash])),
            "srcRemote": .string(String(file[file.utf8.index(after: slash)...])), "dstFs": .string(remote),
            "dstRemote": .string(path),
        ]
        // What came there since it was looked at stays.
        var config: JSONObject = ["IgnoreExisting": .bool(true)]
        if let rate { config["BwLimitFile"] = .string("\(max(1, rate))B") }
        fields["_config"] = .object(config)
        let work = try await begin("operations/copyfile", fields, "copy the file")
        _ = try await end(of: work, "copy the file")
        // It also calls a success what it passed over; only its counts tell.
        return try await ask("core/stats", ["group": .string("job/\(work.text ?? "")")])?["transfers"] != .integer(0)
    }

    /// One command that may take long, as a job of the daemon's: what it put out.
    ///
    /// The job ends when the task is cancelled.
    private func job(_ command: String, _ fields: JSONObject, _ aim: String) async throws(IngestError) -> JSONValue? {
        try await end(of: begin(command, fields, aim), aim)
    }

    private func begin(_ command: String, _ fields: JSONObject, _ aim: String) async throws(IngestError) -> JSONValue {
        var fields = fields
        fields["_async"] = .bool(true)
        guard let job = try await ask(command, fields)?["jobid"] else {
            throw IngestError(.unavailable, "rclone did not begin to \(aim).")
        }
        return job
    }

    private func end(of job: JSONValue, _ aim: String) async throws(IngestError) -> JSONValue? {
        // Most are done at once, a clip takes minutes.
        var pause = min(interval, .milliseconds(5)), moved: JSONValue?
        while true {
            let status = try await ask("job/status", ["jobid": job]) ?? .null
            guard case .bool(let isFinished)? = status["finished"] else {
                throw IngestError(.unavailable, "rclone does not say whether it could \(aim).")
            }
            if isFinished {
                if status["success"] == .bool(true) { return status["output"] }
                let words = String(HeaderText.clean(status["error"]?.text ?? "no reason given").prefix(200))
                throw Self.error(IngestError(.unavailable, "rclone could not \(aim): \(words)."), words.lowercased())
            }
            if pause == interval {
                let bytes = try await ask("core/stats", ["group": .string("job/\(job.text ?? "")")])?["bytes"]
                if bytes != moved { ProgressSignal.current?.note() }
                moved = bytes
            }
            do { try await Task.sleep(for: pause) } catch {
                let client = self
                await Task { _ = try? await client.ask("job/stop", ["jobid": job]) }.value
                throw IngestError(.cancelled, "Stopped while rclone was to \(aim).")
            }
            pause = min(interval, pause * 2)
        }
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
