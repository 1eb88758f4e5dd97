import FilmgateCore
import FilmgateLedger
import FilmgateReport
import Foundation
import Logging
import Synchronization
import Testing

@testable import FilmgateStudio

/// A page over a state directory of its own.
final class StudioBench: Sendable {
    let folder: String, server: StudioServer, client: RawClient
    /// A run that is none, for what it tells.
    let run: ToldRun
    let marking: MarkBreaks

    /// `fill` writes into the ledger before the page is there; nil leaves none.
    ///
    /// `everywhere`: through TLS, at every address of this machine; `catalog`: the pipeline names one.
    static func with(
        names: [String] = [], previews: Bool = false, everywhere: Bool = false, catalog: Bool = false,
        fill: (@Sendable (SQLiteLedger) async throws -> Void)? = nil,
        _ body: (StudioBench) async throws -> Void
    ) async throws {
        var template = Array(
            "\(ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")/filmgate-studio-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let fill {
            let ledger = try SQLiteLedger.open(directory: folder + "/state")
            try await fill(ledger)
            ledger.close()
        }
        let bench = try await StudioBench(folder, names, previews, everywhere, catalog)
        do { try await body(bench) } catch {
            await bench.server.stop()
            throw error
        }
        await bench.server.stop()
    }

    private init(
        _ folder: String, _ names: [String], _ previews: Bool, _ everywhere: Bool, _ catalog: Bool
    ) async throws {
        self.folder = folder
        var options = StudioServer.Options(
            state: folder + "/state", host: everywhere ? "0.0.0.0" : "127.0.0.1", port: 0)
        if everywhere { options.certificate = try OwnCertificate(state: folder + "/state", names: names).certificate }
        options.names = names
        if previews { (options.previews, options.previewProgram) = (folder + "/previews", Self.decoder) }
        var services = StudioServices { () async throws(IngestError) in
            [EventLine(name: "wedding <b>", chosen: true, runs: 1)]
        } status: { (counts: FrameCounts?) async throws(IngestError) in
            Self.status(counts)
        }
        let box = ToldRun(), breaks = MarkBreaks(), state = folder + "/state"
        services.mark = { order async throws(IngestError) in
            try breaks.next()
            return try await SQLiteLedger.mark(order, directory: state)
        }
        services.watch = { hear in
            box.hear.withLock { $0 = hear }
            return {}
        }
        services.upcoming = { box.upcoming.withLock(\.list) }
        services.upcomingPicture = { box.picture(of: $0) }
        (run, marking) = (box, breaks)
        options.pipeline = try Self.prepare(folder)
        services.program = folder + "/program"
        services.namesCatalog = { _ in catalog }
        options.catalogPace = .init(age: .milliseconds(20), moment: .milliseconds(500), patience: .seconds(2))
        services.mounted = { () async throws(IngestError) in
            let path = folder + "/CARD", isThere = FileManager.default.fileExists(atPath: path)
            return isThere ? [MountedCard(path: path, label: "CARD <b>", visit: "1", isReadable: true)] : []
        }
        server = try StudioServer(options, services, logger: Logger(label: "studio") { _ in SwiftLogNoOpLogHandler() })
        client = RawClient(port: try await server.start())
    }

    /// `counts`: nil before the list was read; then one file is delivered.
    private static func status(_ counts: FrameCounts?) -> String {
        let endings = counts?.endings ?? [.delivered: 1]
        let assets = Ending.allCases.map { "\"\($0.rawValue)\":\(endings[$0] ?? 0)" }.joined(separator: ",")
        return #"{"type":"status","running":false,"paused":false,"event":"secret event","#
            + #""assets":{\#(assets)},"unfinished":0,"targets":[],"sources":[]}"#
    }

    /// What decodes pictures, beside the test bundle in the build folder; under a sanitizer it is not there.
    static let decoder: String = {
        let bundle =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent("filmgate-previews").path
    }()
    static let decoderIsThere = FileManager.default.isExecutableFile(atPath: decoder)

    /// A card, a pipeline, and a program that tells its words and does what `then` says.
    private static func prepare(_ folder: String) throws -> String {
        let pipeline = folder + "/wedding.yaml"
        try FileManager.default.createDirectory(atPath: folder + "/CARD/DCIM", withIntermediateDirectories: true)
        try Data("version: 1\n".utf8).write(to: URL(fileURLWithPath: pipeline))
        let script = """
            #!/usr/bin/env python3
            import json, os, sys
            folder = os.path.dirname(os.path.abspath(sys.argv[0]))
            with open(folder + "/words", "a") as words: words.write(json.dumps(sys.argv[1:]) + "\\n")
            then = folder + "/then"
            if os.path.exists(then): os.execv("/bin/sh", ["sh", then] + sys.argv[1:])
            print(json.dumps({"type": "summary", "exit": 0}))
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/program"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/program")
        return pipeline
    }

    /// What the commands do from now on, as a shell script that gets their words.
    func then(_ script: String) throws { try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/then")) }

    /// The words of all commands so far.
    func words() throws -> [[String]] {
        let text = (try? String(contentsOfFile: folder + "/words", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { JSONValue(Array($0.utf8))?.texts ?? [] }
    }

    /// Asks for something as a program with a token does.
    func post(_ path: String, _ body: String, _ role: Role = .operate, key: String? = nil) throws -> RawClient.Reply {
        var headers = try token(role).merging(Self.own) { $1 }
        headers["Idempotency-Key"] = key
        return try client.send("POST", "/api/v1/" + path, headers, body: body)
    }

    /// The job of that answer once it has ended; nil when it does not.
    func ended(_ reply: RawClient.Reply) async throws -> JSONValue? {
        let id = try #require(reply.json?["id"]?.string, "\(reply.body)"), headers = try token(.operate)
        for _ in 0..<300 {
            let job = try client.send("GET", "/api/v1/jobs/\(id)", headers).json
            if job?["state"]?.string != "running" { return job }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    var state: String { folder + "/state" }
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Headers of a program with a token.
    func token(_ role: Role) throws -> [String: String] {
        [
            "Authorization":
                "Bearer \(try server.grants.makeToken(role: role, seconds: 600, label: "test", now: now).token)"
        ]
    }

    /// What the page's own script sends.
    static let own = ["Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"]

    func pair(_ code: String, _ headers: [String: String] = own) throws -> RawClient.Reply {
        try client.send("POST", "/api/v1/session", headers, body: "{\"code\":\"\(code)\"}")
    }

    /// The two halves of a new session.
    func session(_ role: Role = .admin) throws -> (cookie: String, key: String) {
        let reply = try pair(try server.makeCode(role: role))
        try #require(reply.status == 201, "\(reply.body)")
        let cookie = try #require(reply["Set-Cookie"]?.split(separator: ";").first.map(String.init))
        return (cookie, try #require(reply.json?["key"]?.string))
    }
}

/// Stands for the connection to a run.
final class ToldRun: Sendable {
    let hear = Mutex<(@Sendable (RunSignal) -> Void)?>(nil)
    func tell(_ signal: RunSignal) { hear.withLock(\.self)?(signal) }

    /// What it has still to read, what its camera shows of that, and what that was asked for.
    struct Upcoming { var list: UpcomingList?, pictures: [AssetID: UpcomingPicture] = [:], asked: [AssetID] = [] }
    let upcoming = Mutex(Upcoming())

    func picture(of asset: AssetID) -> UpcomingPicture {
        upcoming.withLock { upcoming in
            upcoming.asked.append(asset)
            return upcoming.pictures[asset] ?? .missing
        }
    }
}

/// Has one order of marks fail.
final class MarkBreaks: Sendable {
    private let left = Mutex<Int?>(nil)

    /// The one after so many that go well.
    func fail(after count: Int) { left.withLock { $0 = count } }

    func next() throws(IngestError) {
        let isFailing = left.withLock { left in
            left = left.map { $0 - 1 }
            if left == -1 { left = nil } else { return false }
            return true
        }
        if isFailing { throw IngestError(.unavailable, "The disk does not answer.") }
    }
}

/// Rows of a ledger.
enum Rows {
    static let base: Int64 = 1_760_000_000_000_000_000

    static func sha(_ number: Int) -> String {
        // Their number is as long as a digit, or eight: the filling before it is a digit, too.
        let short = String(number, radix: 16)
        let digits = short.count == 1 ? short : String(repeating: "0", count: 8 - short.count) + short
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    static func asset(_ number: Int, name: String? = nil, ending: Ending? = .delivered, run: Int64 = 1) -> AssetRow {
        let name = name ?? "IMG_\(number).JPG"
        let origin = Origin(
            source: "card", volume: "uuid:secret-volume", root: "/media/secret-owner/CARD", path: "DCIM/100/" + name,
            size: 1000, modified: base + Int64(number))
        var row = AssetRow(
            origin: origin, run: run, kind: .jpeg, shot: ShotPlace(key: "dcim/100/\(number)", stem: "IMG_\(number)"),
            at: base + Int64(number) * 1_000_000)
        (row.content, row.digests, row.ending) = (ContentKey(sha256: sha(number)), Digests(sha256: sha(number)), ending)
        var media = MediaFacts()
        (media.make, media.model, media.serial, media.owner) = ("Make", "Model", "secret-serial", "secret-person")
        (row.media, row.event, row.photographer) = (media, "secret-event", "secret-photographer")
        row.wanted = ["folder:/srv/secret-folder"]
        if ending == .setAside { row.reason = "secret-reason" }
        return row
    }

    static func delivery(_ number: Int, _ state: Receipt.State = .done) -> DeliveryRow {
        let receipt = Receipt(
            state: state, path: "/srv/secret-folder/IMG_\(number).JPG", sha256: sha(number), verified: .reread,
            at: base, reason: state == .done ? nil : "secret-cause")
        return DeliveryRow(
            content: ContentKey(sha256: sha(number)), target: "folder:/srv/secret-folder", targetName: "secret-target",
            receipt: receipt, size: 1000, path: "IMG_\(number).JPG")
    }

    /// Three files, of which one waits; a run; a note.
    @Sendable static func few(_ ledger: SQLiteLedger) async throws {
        let run = try await ledger.beginRun(verb: "import", event: "secret-event", at: base)
        try await ledger.record([
            .asset(asset(1, run: run)), .asset(asset(2, ending: .pending, run: run)),
            .asset(asset(3, ending: .setAside, run: run)), .delivery(delivery(1)), .delivery(delivery(2, .held)),
            .note(asset: asset(1).origin.id, at: base, text: "secret-note"),
            .endRun(
                run, at: base + 5, exit: 0, summary: RunSummary(counts: [.delivered: 1, .pending: 1, .setAside: 1])),
        ])
    }
}
