import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// Remote copies: proven by what the target says or shows now, whatever the receipt remembers.
@Suite(.ownThreads, .serialized) struct RemoteProofTests {
    private let table: Table

    init() throws {
        table = try Table()
        try table.frames("CARD", count: 3, from: 1)
    }

    private func pipeline(_ target: String, _ auth: String = "") throws -> String {
        try table.write(
            "remote.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [exif: {}, dedupe: {}, upload: { to: [far] }]
            retry: { first: 10ms, most: 100ms }
            targets:
              far: { \(target) }
            \(auth)
            """)
    }

    private func ask(_ file: String, _ environment: [String: String] = [:]) throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card, "--pipeline", file], environment: environment)
    }

    @Test func aGalleryIsAskedForTheEventThatItsCopiesAreOf() throws {
        let gallery = try Gallery(table), environment = Gallery.environment
        let file = try pipeline(
            "http: { url: \"\(gallery.address)/api/assets\", auth: t, find: { url: \"\(gallery.address)/api/assets/{sha256}\" } }",
            "auth: { t: { bearer: { token: \"${env:FILMGATE_GALLERY_TOKEN}\" } } }")
        let run = try table.run(
            ["import", table.card, "--pipeline", file, "--event", "gala"], environment: environment)
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)")
        let unasked = try table.run(["safe-to-format", table.card])
        #expect(unasked.status == 8)
        #expect(unasked.items().allSatisfy { ($0["reason"] as? String ?? "").contains("--pipeline") })
        let yes = try ask(file, environment)
        #expect(yes.status == 0, "\(yes.output)")
        // The gallery has lost everything: what it said then counts for nothing.
        gallery.stop()
        let empty = try Gallery(table, in: "empty", at: gallery.address)
        #expect(try ask(file, environment).status == 8)
        empty.stop()
        let away = try ask(file, environment)
        #expect(away.status == 8)
        // Nor does its silence take back what it said.
        #expect(away.items().allSatisfy { ($0["reason"] as? String ?? "").contains("has not taken back") })
    }

    /// The digest that a gallery named when it took a file counts while nobody can ask it, and not when it says that
    /// the file is gone.
    @Test func aConfirmedDigestCountsForNothingAgainstWhatIsSaidNow() throws {
        let gallery = try Gallery(table), environment = Gallery.environment
        let file = try pipeline(
            "http: { url: \"\(gallery.address)/api/assets\", auth: t, digest: { json: sha256 }, "
                + "find: { url: \"\(gallery.address)/api/assets/{sha256}\" } }",
            "auth: { t: { bearer: { token: \"${env:FILMGATE_GALLERY_TOKEN}\" } } }")
        let run = try table.run(["import", table.card, "--pipeline", file], environment: environment)
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)")
        let now = try ask(file, environment)
        #expect(now.status == 0 && now.count("believed") == 0, "\(now.output)")
        let unasked = try table.run(["safe-to-format", table.card])
        #expect(unasked.status == 0 && unasked.count("believed") == 3, "\(unasked.output)")
        gallery.stop()
        let away = try ask(file, environment)
        #expect(away.status == 0 && away.count("believed") == 3, "\(away.output)")
        let empty = try Gallery(table, in: "empty", at: gallery.address)
        let gone = try ask(file, environment)
        #expect(gone.status == 8 && gone.count("removed") == 3, "\(gone.output)")
        empty.stop()
    }

    /// "No longer here" is written down, whoever heard it, and stands until the gallery itself says otherwise: not
    /// while it is broken, away or not asked, and not for a pipeline that does not name it.
    @Test(arguments: ["safe-to-format", "verify"])
    func aNoHoldsUntilTheTargetItselfSaysOtherwise(_ verb: String) throws {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "http: { url: \"\(server.url)/up\", method: POST, body: raw, digest: { json: sha256 }, "
                + "find: { url: \"\(server.url)/by/{sha256}\" } }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)\(run.output)")
        #expect(try table.run(["safe-to-format", table.card]).count("believed") == 3)
        stored.mode.withLock { $0 = .empty }
        let told = try verb == "verify" ? table.run(["verify", "--pipeline", file]) : ask(file)
        #expect(told.status == (verb == "verify" ? 6 : 8), "\(told.output)")
        let unasked = try table.run(["safe-to-format", table.card])
        #expect(unasked.status == 8 && unasked.count("removed") == 3, "\(unasked.output)")
        stored.mode.withLock { $0 = .broken }
        #expect(try ask(file).status == 8)
        server.stop()
        #expect(try ask(file).status == 8)
        let other = try table.write(
            "other.yaml",
            "version: 1\nstages: [upload: { to: [near] }]\ntargets: { near: { folder: { path: \"\(table.path("near"))\" } } }\n"
        )
        #expect(try ask(other).status == 8)
        let again = try table.run(["import", table.card, "--pipeline", file])
        #expect(again.status == 0 && again.count("alreadySeen") == 3 && again.count("removed") == 3, "\(again.output)")
        let status = try table.run(["status"]).items("status").first?["targets"] as? [[String: Any]]
        #expect(status?.first?["denied"] as? Int == 3, "\(String(describing: status))")
    }

    /// What it said is written down while it is still asked: whoever ends the program before the last answer keeps the
    /// others.
    @Test(arguments: ["safe-to-format", "verify"]) func whatWasSaidBeforeTheEndIsKept(_ verb: String) throws {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "http: { url: \"\(server.url)/up\", method: POST, body: raw, digest: { json: sha256 }, "
                + "find: { url: \"\(server.url)/by/{sha256}\" } }")
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 0)
        stored.mode.withLock { $0 = .silentOnce }
        let words = verb == "verify" ? [verb] : [verb, table.card]
        let question = try Background(words + ["--pipeline", file, "--state", table.state])
        func denied() throws -> Int? {
            let status = try table.run(["status"]).items("status").first?["targets"] as? [[String: Any]]
            return status?.first?["denied"] as? Int
        }
        #expect(try Background.within(seconds: 30) { try denied() == 2 })
        #expect(question.process.isRunning)
        question.kill(SIGINT)
        let unasked = try table.run(["safe-to-format", table.card])
        #expect(unasked.status == 8 && unasked.count("removed") == 2, "\(unasked.output)")
    }

    /// It has them again, or gets them again: both take back what it said.
    @Test func aNoIsTakenBackByAYesAndByADelivery() throws {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "http: { url: \"\(server.url)/up\", method: POST, body: raw, digest: { json: sha256 }, "
                + "find: { url: \"\(server.url)/by/{sha256}\" } }")
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 0)
        stored.mode.withLock { $0 = .empty }
        #expect(try ask(file).status == 8)
        stored.mode.withLock { $0 = .whole }
        #expect(try ask(file).status == 0)
        #expect(try table.run(["safe-to-format", table.card]).status == 0)
        stored.files.withLock { $0 = [] }
        #expect(try ask(file).status == 8)
        let again = try table.run(["import", table.card, "--pipeline", file, "--again"])
        #expect(again.status == 0 && again.count("delivered") == 3, "\(again.output)")
        #expect(try table.run(["safe-to-format", table.card]).status == 0)
    }

    /// It said so of each file when they came, and named no digest: whatever says yes to everything does that, too.
    @Test func aYesOfBeforeThatNamedNoDigestIsNoProof() throws {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        defer { server.stop() }
        let find = "find: { url: \"\(server.url)/by/{sha256}\" }"
        let file = try pipeline("http: { url: \"\(server.url)/up\", method: POST, body: raw, \(find) }")
        let another = ["import", table.card, "--pipeline", file, "--state", table.path("another")]
        #expect(try Program.run(another).status == 0)
        #expect(try table.run(["import", table.card, "--pipeline", file]).count("duplicate") == 3)
        let yes = try ask(file)
        #expect(yes.status == 0 && yes.count("believed") == 0, "\(yes.output)")
        func reasons(_ answer: Program.Outcome) -> [String] { answer.items().compactMap { $0["reason"] as? String } }
        stored.mode.withLock { $0 = .everything }
        let lie = try ask(file), advice = lie.summary["advice"] as? String ?? ""
        #expect(lie.status == 8 && lie.items().count == 3, "\(lie.output)")
        #expect(reasons(lie).allSatisfy { $0.contains("even bytes that do not exist") }, "\(lie.output)")
        #expect(advice.contains("under `find`") && advice.contains("--to FOLDER"), "\(advice)")
        let unasked = try table.run(["safe-to-format", table.card])
        #expect(unasked.status == 8 && reasons(unasked).allSatisfy { $0.contains("never named their digest") })
        server.stop()
        #expect(try ask(file).status == 8)
    }

    /// The digests that it named when it took them count, and whose answer does not is told to whoever formats the card.
    @Test func whoseAnswerDoesNotCountIsNamedBesideTheYES() throws {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        defer { server.stop() }
        let find = "find: { url: \"\(server.url)/by/{sha256}\" }", digest = "digest: { json: sha256 }"
        let file = try pipeline("http: { url: \"\(server.url)/up\", method: POST, body: raw, \(digest), \(find) }")
        #expect(try table.run(["import", table.card, "--pipeline", file]).count("delivered") == 3)
        #expect(try ask(file).summary["unheard"] == nil)
        func told() throws -> String {
            try Program.run(["safe-to-format", table.card, "--pipeline", file, "--state", table.state]).output
        }
        stored.mode.withLock { $0 = .everything }
        let yes = try ask(file)
        #expect(yes.status == 0 && yes.count("believed") == 3, "\(yes.output)")
        #expect(yes.summary["unheard"] as? [String] == ["far"], "\(yes.output)")
        let lie = "its answer does not count: \(server.url) says that it has whatever it is asked for"
        #expect(try told().contains("far was asked, and \(lie)"))
        server.stop()
        #expect(try told().contains("far could not be asked: "))
    }

    @Test func filesAtAServerAreReadBack() throws {
        let dav = Files(), server = try FaultServer { seen, _ in dav.answer(seen) }
        defer { server.stop() }
        let file = try pipeline("webdav: { url: \"\(server.url)/dav/{event}/{name}\", verify: reread }")
        let run = try table.run(["import", table.card, "--pipeline", file, "--event", "gala"])
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)\(run.output)")
        #expect(try table.run(["safe-to-format", table.card]).status == 8)
        let yes = try ask(file)
        #expect(yes.status == 0, "\(yes.output)")
        let names = dav.state.withLock { Array($0.keys) }
        let name = try #require(names.first { $0.hasSuffix("IMG_0002.JPG") })
        dav.state.withLock { files in files[name, default: Array(repeating: 0, count: 21)][20] ^= 1 }
        let no = try ask(file)
        #expect(no.status == 8)
        let reasons = no.items().filter { $0["proof"] as? String == "not_proven" }.map { $0["reason"] as? String ?? "" }
        #expect(reasons.count == 1 && reasons[0].contains("other bytes"))
        // Brought again it gets a name of its own: what stands there now is somebody's.
        let again = try table.run(["import", table.card, "--pipeline", file, "--event", "gala", "--again"])
        #expect(again.count("delivered") == 1 && again.count("duplicate") == 2, "\(again.output)")
        #expect(try ask(file).status == 0)
        dav.state.withLock { files in for key in files.keys where key.hasSuffix("IMG_0002-2.JPG") { files[key] = nil } }
        #expect(try ask(file).count("removed") == 1)
    }

    @Test func immichIsAskedByTheDigestThatItKnows() throws {
        let photos = Photos(), server = try FaultServer { seen, _ in photos.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "immich: { url: \"\(server.url)\", auth: k }",
            "auth: { k: { api_key: { key: \"${env:KEY}\", header: x-api-key } } }")
        let environment = ["KEY": "key"]
        let run = try table.run(
            ["import", table.card, "--pipeline", file, "--event", "gala"], environment: environment)
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)\(run.output)")
        let yes = try ask(file, environment)
        #expect(yes.status == 0, "\(yes.output)")
        photos.state.withLock { $0 = [] }
        #expect(try ask(file, environment).status == 8)
    }

    /// It named these bytes once; asked by the digest now, it has them no more, whatever it lets nobody look at.
    @Test func immichsEarlierWordIsNotBelievedAgainstItsAnswerNow() throws {
        let photos = Photos(knowsAll: true), server = try FaultServer { seen, _ in photos.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "immich: { url: \"\(server.url)\", auth: k }",
            "auth: { k: { api_key: { key: \"${env:KEY}\", header: x-api-key } } }")
        let environment = ["KEY": "key"]
        let run = try table.run(
            ["import", table.card, "--pipeline", file, "--event", "gala"], environment: environment)
        #expect(run.status == 0 && run.count("duplicate") == 3, "\(run.errors)\(run.output)")
        #expect(try ask(file, environment).status == 0)
        photos.knowsAll.withLock { $0 = false }
        let gone = try ask(file, environment)
        #expect(gone.status == 8 && gone.count("removed") == 3, "\(gone.output)")
        let again = try table.run(
            ["import", table.card, "--pipeline", file, "--event", "gala", "--again"], environment: environment)
        #expect(again.status == 0 && again.count("delivered") == 3, "\(again.output)")
        #expect(try ask(file, environment).status == 0)
    }

    /// The gallery names the SHA-256 when it takes a file, and is asked by the SHA-1, which receipts do not keep.
    @Test func aGalleryIsBelievedByTheDigestThatItIsAskedFor() throws {
        let gallery = ByDigest(), server = try FaultServer { seen, _ in gallery.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(
            "http: { url: \"\(server.url)/up\", method: POST, body: raw, headers: { X-Sha1: \"{sha1}\" }, digest: { json: sha256 }, "
                + "find: { url: \"\(server.url)/by/{sha1}\" } }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)\(run.output)")
        let yes = try ask(file)
        #expect(yes.status == 0 && yes.count("believed") == 0, "\(yes.output)")
        gallery.files.withLock { $0 = [] }
        let gone = try ask(file)
        #expect(gone.status == 8 && gone.count("removed") == 3, "\(gone.output)")
        let again = try table.run(["import", table.card, "--pipeline", file, "--again"])
        #expect(again.status == 0 && again.count("delivered") == 3, "\(again.output)")
    }
}

/// A gallery that shows nothing and knows files by their SHA-1.
private final class ByDigest: Sendable {
    let files = Mutex<Set<String>>([])

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        guard seen.target.hasPrefix("/by/") else {
            return .compute { seen in
                self.files.withLock { _ = $0.insert(seen[header: "X-Sha1"] ?? "") }
                return .answer(201, body: #"{"sha256":"\#(seen.fileDigest)"}"#)
            }
        }
        return .answer(files.withLock { $0.contains(String(seen.target.dropFirst(4))) } ? 200 : 404)
    }
}

/// A folder at a WebDAV server that lists nothing.
private final class Files: Sendable {
    let state = Mutex<[String: [UInt8]]>([:])

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        switch seen.method {
        case "MKCOL": return .answer(201)
        case "PROPFIND": return .answer(405)
        case "PUT":
            return .compute { seen in
                self.state.withLock { $0[seen.target] = seen.body }
                return .answer(201)
            }
        case "MOVE":
            let name = seen[header: "Destination"].flatMap { URL(string: $0)?.path } ?? ""
            return state.withLock { files in
                guard files[name] == nil else { return .answer(412) }
                files[name] = files.removeValue(forKey: seen.target)
                return .answer(201)
            }
        case "GET", "HEAD":
            guard let bytes = state.withLock({ $0[seen.target] }) else { return .answer(404) }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nConnection: close\r\n\r\n"
            return .raw(Array(head.utf8) + (seen.method == "GET" ? bytes : []))
        default: return .answer(204)
        }
    }
}

/// As much of an Immich server as an upload and the question for one need; it knows files by their SHA-1.
private final class Photos: Sendable {
    let state = Mutex<Set<String>>([]), knowsAll: Mutex<Bool>

    /// `knowsAll`: all bytes that somebody can have.
    init(knowsAll: Bool = false) { self.knowsAll = Mutex(knowsAll) }

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        switch seen.target {
        case "/api/assets":
            return .compute { seen in
                let sha1 = seen[header: "x-immich-checksum"] ?? ""
                self.state.withLock { _ = $0.insert(sha1) }
                return .answer(201, body: #"{"id":"a-\#(sha1)","status":"created"}"#)
            }
        case "/api/assets/bulk-upload-check": return .compute { self.known($0) }
        default: return .answer(403, body: #"{"message":"Missing required permission","statusCode":403}"#)
        }
    }

    private func known(_ seen: FaultServer.Seen) -> FaultAct {
        let question = (try? JSONSerialization.jsonObject(with: Data(seen.body))) as? [String: [[String: String]]]
        let asked = (question?["assets"] ?? []).map { $0["checksum"] ?? "" }
        let results = asked.enumerated().map { number, sha1 in
            // What comes behind the first is asked for to hear a no.
            let isKnown =
                state.withLock { $0.contains(sha1) } || (number == 0 && knowsAll.withLock(\.self))
            return isKnown
                ? #"{"id":"\#(sha1)","action":"reject","reason":"duplicate","isTrashed":false,"assetId":"a-\#(sha1)"}"#
                : #"{"id":"\#(sha1)","action":"accept"}"#
        }
        return .answer(200, body: #"{"results":[\#(results.joined(separator: ","))]}"#)
    }
}
