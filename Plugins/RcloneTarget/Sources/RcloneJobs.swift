import FilmgateCore
import HTTPKit

/// One command that the daemon works on by itself.
private struct RcloneJob: Sendable {
    let id: JSONValue
    /// Under which name rclone counts what it moves; nil where it has none of ours.
    let group: String?
    /// What it is to do, for messages.
    let aim: String

    var counts: JSONObject { ["group": .string(group ?? "job/\(id.text ?? "")")] }
}

extension RcloneDaemon {
    /// A question about a copy is asked so often where no answer comes.
    private static var tries: Int { 6 }

    /// Under this name rclone counts the copies of these bytes to a path: the same at every try, and after a restart of
    /// this program.
    func group(of sha256: String, at path: String) -> String {
        "filmgate/" + Hex.text(of: ByteDigest.sha256(Array("\(remote)\n\(path)\n\(sha256)".utf8)).prefix(16))
    }

    /// Waits until no copy of an earlier try is under way; says how many were carried out.
    ///
    /// rclone goes on with a copy whatever becomes of the questions about it, and a remote may keep two files of one
    /// name.
    func earlierCopies(in group: String) async throws(IngestError) -> Int64 {
        var moved: JSONValue?
        while true {
            let counts = try await ask("core/stats", ["group": .string(group)]) ?? .null
            guard let running = counts["transferring"]?.items, !running.isEmpty else {
                return counts["transfers"]?.whole ?? 0
            }
            note(counts, since: &moved)
            do { try await Task.sleep(for: interval) } catch {
                let daemon = self
                await Task { _ = try? await daemon.ask("job/stopgroup", ["group": .string(group)]) }.value
                throw IngestError(.cancelled, "Stopped while rclone was still copying the file.")
            }
        }
    }

    /// Copies a file of this machine; ends the copy when the task is cancelled.
    ///
    /// False when nothing was sent: something has the name. `group`, `earlier`: see `earlierCopies`.
    func copy(_ file: String, to path: String, in group: String, earlier: Int64) async throws(IngestError) -> Bool {
        let slash = file.utf8.lastIndex(of: 0x2F) ?? file.utf8.startIndex
        var fields: JSONObject = [
            "srcFs": .string(String(file[...slash])),
            "srcRemote": .string(String(file[file.utf8.index(after: slash)...])), "dstFs": .string(remote),
            "dstRemote": .string(path), "_group": .string(group),
        ]
        // What came there since it was looked at stays.
        var config: JSONObject = ["IgnoreExisting": .bool(true)]
        if let rate { config["BwLimitFile"] = .string("\(max(1, rate))B") }
        fields["_config"] = .object(config)
        let work = try await begin("operations/copyfile", fields, "copy the file")
        let (_, wasSeen) = try await judged("copy", path) { () async throws(IngestError) in try await end(of: work) }
        // It also calls a success what it passed over; only its counts tell. After a thousand later copies these are
        // forgotten, too: what was seen to move was sent.
        guard !wasSeen, let copies = try await answer("core/stats", work.counts, to: work)["transfers"] else {
            return true
        }
        return copies != .integer(earlier)
    }

    /// One command that may take long, as a job of the daemon's: what it put out.
    ///
    /// The job ends when the task is cancelled.
    func job(_ command: String, _ fields: JSONObject, _ aim: String) async throws(IngestError) -> JSONValue? {
        try await end(of: begin(command, fields, aim)).output
    }

    private func begin(_ command: String, _ fields: JSONObject, _ aim: String) async throws(IngestError) -> RcloneJob {
        var fields = fields
        fields["_async"] = .bool(true)
        guard let job = try await ask(command, fields)?["jobid"] else {
            throw IngestError(.unavailable, "rclone did not begin to \(aim).")
        }
        return RcloneJob(id: job, group: fields["_group"]?.text, aim: aim)
    }

    /// Waits for its end: what it put out, and whether it was seen to move bytes.
    private func end(of job: RcloneJob) async throws(IngestError) -> (output: JSONValue?, wasSeen: Bool) {
        do throws(IngestError) { return try await watched(job) } catch {
            if error.code == .cancelled {
                let daemon = self
                await Task { _ = try? await daemon.ask("job/stop", ["jobid": job.id]) }.value
            }
            throw error
        }
    }

    private func watched(_ job: RcloneJob) async throws(IngestError) -> (output: JSONValue?, wasSeen: Bool) {
        // Most are done at once, a clip takes minutes.
        var pause = min(interval, .milliseconds(5)), moved: JSONValue?, wasSeen = false
        while true {
            let status = try await answer("job/status", ["jobid": job.id], to: job)
            guard case .bool(let isFinished)? = status["finished"] else {
                throw IngestError(.unavailable, "rclone does not say whether it could \(job.aim).")
            }
            // A daemon that was started anew counts its jobs from 1 again.
            if let group = job.group, let theirs = status["group"]?.text, theirs != group {
                throw IngestError(.unavailable, "rclone was started anew while it was to \(job.aim).")
            }
            if isFinished {
                if status["success"] == .bool(true) { return (status["output"], wasSeen) }
                let words = String(HeaderText.clean(status["error"]?.text ?? "no reason given").prefix(200))
                let cause = FailedJob(mayPass: FailedJob.mayPass(words.lowercased()))
                throw Self.error(
                    IngestError(.unavailable, "rclone could not \(job.aim): \(words).", cause: cause),
                    words.lowercased())
            }
            if pause == interval {
                let counts = try await answer("core/stats", job.counts, to: job)
                if let running = counts["transferring"]?.items, !running.isEmpty { wasSeen = true }
                note(counts, since: &moved)
            }
            try await sleep(pause, job)
            pause = min(interval, pause * 2)
        }
    }

    /// The answer to a question about a job.
    ///
    /// About a copy it is asked again where none comes: the copy goes on meanwhile.
    private func answer(_ command: String, _ fields: JSONObject, to job: RcloneJob) async throws(IngestError)
        -> JSONValue
    {
        var pause = interval, failures = 0
        while true {
            do throws(IngestError) { return try await ask(command, fields) ?? .null } catch {
                failures += 1
                // Nothing in the answer would tell another job of that number from this one.
                guard job.group != nil, error.code == .network, failures < Self.tries else { throw error }
            }
            try await sleep(pause, job)
            pause = min(.seconds(5), pause * 2)
        }
    }

    private func sleep(_ pause: Duration, _ job: RcloneJob) async throws(IngestError) {
        do { try await Task.sleep(for: pause) } catch {
            throw IngestError(.cancelled, "Stopped while rclone was to \(job.aim).")
        }
    }

    /// Tells that bytes move where more of them have than the last time.
    private func note(_ counts: JSONValue, since moved: inout JSONValue?) {
        let bytes = counts["bytes"]
        if bytes != moved { ProgressSignal.current?.note() }
        moved = bytes
    }
}
