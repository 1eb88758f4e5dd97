import FileKit
import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import TusTarget

/// tuspyserver, one for all tests of this process.
enum Tus {
    /// `PYTHON` names an interpreter that has tuspyserver; the check asks it.
    static let isInstalled = system("${PYTHON:-python3} -c 'import tuspyserver, uvicorn' >/dev/null 2>&1") == 0
    static let server = SharedServer("tus")

    /// `state`: where it remembers which uploads were begun.
    static func target(
        _ base: String, _ auth: (any AuthProvider)?, state: String, logger: Logger = Logger(label: "test"),
        patience: Duration = .seconds(60), chunk: ByteCount? = nil
    ) throws -> TusTarget {
        var options = TusOptions()
        options.chunk = chunk
        options.url = try #require(AddressTemplate(base + "/files/"))
        (options.web.stallTimeout, options.web.answerTimeout) = (patience, patience)
        if auth != nil { options.web.auth = try AuthReference(node: ConfigNode(.scalar("cam", quoted: true))) }
        let lookup = Lookup(auth: auth.map { ["cam": $0] } ?? [:])
        return try TusTarget(options, ModuleContext(name: "tus", logger: logger, state: state, lookup: lookup))
    }

    static func copies(_ sha256: String, in folder: String) throws -> Int {
        try FileSystem.names(in: folder).count { name in
            guard !name.hasSuffix(".info"), let facts = try FileFacts.of("\(folder)/\(name)"), facts.kind == .regular
            else { return false }
            // An upload that was begun and never sent is an empty file too: its notes tell.
            guard Temporary.text(of: "\(folder)/\(name).info").contains("\"size\": \(facts.size)") else { return false }
            return try FileCopy.hash(path: "\(folder)/\(name)").digests.sha256 == sha256
        }
    }
}

@Suite(
    .serialized, .enabled(if: Tus.isInstalled, "tuspyserver is not installed: pip install tuspyserver fastapi uvicorn"),
    .timeLimit(.minutes(5)))
struct ConformanceTests {
    static func bench() throws -> HTTPBench {
        let state = try ScratchFolder()
        return HTTPBench { _ in
            let server = try await Tus.server.start(), folder = server.folder + "/files"
            return HTTPBench.Server(port: server.port, copies: { try Tus.copies($0, in: folder) })
        } make: { base, auth, logger, patience in
            try Tus.target(base, auth, state: state.path, logger: logger, patience: patience)
        } isUpload: {
            $0.method == "PATCH"
        }
    }

    @Test(arguments: TargetConformance.checks) func target(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench().plain)
    }
    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench())
    }

    @Test func aBrokenUploadGoesOn() async throws {
        let server = try await Tus.server.start(), patches = Mutex(0)
        let proxy = try FaultServer(upstream: server.port) { seen, _ in
            guard seen.method == "PATCH" else { return .relay }
            return patches.withLock { count in
                count += 1
                return count == 1 ? .relayThenReset : .relay
            }
        }
        defer { proxy.stop() }
        let state = try ScratchFolder(), sample = try SampleJob(count: 2_000_000)
        let target = try Tus.target(proxy.url, nil, state: state.path)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        // Another process, later: it asks how far the upload got.
        let receipt = try await Tus.target(proxy.url, nil, state: state.path).upload(sample.job())
        #expect(receipt.existed && proxy.seen.count { $0.method == "PATCH" } == 1)
        #expect(try Tus.copies(sample.digests.sha256, in: server.folder + "/files") == 1)
    }
}

/// What the real server does not do by itself, by a scripted one.
@Suite(.timeLimit(.minutes(5))) struct TusTargetTests {
    @Test func goesOnFromWhereTheServerStands() async throws {
        let sample = try SampleJob(count: 10_000),
            notes = "sha256 " + Base64.text(of: Array(sample.digests.sha256.utf8))
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/7")])
            case "HEAD": .answer(200, headers: [("Upload-Offset", "4000"), ("Upload-Metadata", notes)])
            default: number == 1 ? .reset(afterBody: 4000) : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        _ = try await target.upload(sample.job())
        #expect(server.seen.map(\.method) == ["POST", "PATCH", "HEAD", "PATCH"])
        let last = try #require(server.seen.last), all = try #require(try FileSystem.contents(of: sample.file))
        #expect(last[header: "Upload-Offset"] == "4000" && last.body == Array(all[4000...]))
    }

    /// What was begun is known to this state directory alone: another station would send it once more.
    @Test func twoStationsCouldSendAFileTwice() throws {
        let state = try ScratchFolder(), traits = try Tus.target("http://127.0.0.1:9", nil, state: state.path).traits
        #expect(!traits.idempotent && !traits.answersByDigest)
        #expect(traits.warnings.count == 1 && traits.warnings[0].contains("stored twice"))
    }

    @Test func anotherOriginGetsNothing() async throws {
        let server = try FaultServer { _, _ in .answer(201, headers: [("Location", "https://elsewhere.invalid/7")]) }
        defer { server.stop() }
        let sample = try SampleJob(), state = try ScratchFolder()
        let target = try Tus.target(server.url, nil, state: state.path)
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            Issue.record("It went on.")
        } catch { #expect(error.code == .untrusted) }
        #expect(server.seen.count == 1)
    }

    /// It claims the whole file when it was sent the first of several parts.
    @Test func moreThanWasSentIsNotBelieved() async throws {
        let server = try FaultServer { seen, _ in
            seen.method == "POST"
                ? .answer(201, headers: [("Location", "/files/7")])
                : .answer(204, headers: [("Upload-Offset", "10000")])
        }
        defer { server.stop() }
        let sample = try SampleJob(count: 10_000), state = try ScratchFolder()
        let target = try Tus.target(server.url, nil, state: state.path, chunk: ByteCount(4000))
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            Issue.record("It was taken for whole.")
        } catch { #expect(error.code == .unavailable) }
    }

    /// Same address and same length, and notes that speak of another file, or of ours: only ours is gone on with.
    @Test(arguments: [true, false]) func anUploadOfTheSameLengthIsOursOnlyByItsDigest(_ isOurs: Bool) async throws {
        let sample = try SampleJob(count: 10_000)
        let digest = isOurs ? sample.digests.sha256 : String(repeating: "0", count: 64)
        let notes = "filename QQ==,sha256 " + Base64.text(of: Array(digest.utf8))
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD":
                .answer(
                    200, headers: [("Upload-Offset", "4000"), ("Upload-Length", "10000"), ("Upload-Metadata", notes)])
            default: number == 1 ? .reset(afterBody: 4000) : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        _ = try await target.upload(sample.job())
        #expect(server.seen.map(\.method) == ["POST", "PATCH", "HEAD"] + (isOurs ? ["PATCH"] : ["POST", "PATCH"]))
        #expect(server.seen.last?[header: "Upload-Offset"] == (isOurs ? "4000" : "0"))
    }

    /// tuspyserver gives back the name and the type alone.
    @Test func aServerThatKeepsSomeNotesIsBelievedByThese() {
        let notes = ["filename": "QQ==", "filetype": "aW1n", "sha256": "MQ=="]
        for (given, isOurs) in [
            ("filename QQ==, filetype aW1n", true), ("filename Qg==,filetype aW1n", false),
            ("filename Qg==,sha256 MQ==", true), ("filename QQ==,sha256 Mg==", false),
            ("relativePath bnVsbA==,filename QQ==", true), (",, filename", false), ("", nil),
            ("relativePath bnVsbA==", nil), ("filetype aW1n", nil), ("filetype Qg==", false),
        ] as [(String, Bool?)] { #expect(TusTarget.areSame(given, notes) == isOurs, "\(given)") }
    }

    /// A numbering that began anew: the address is another upload's by now, and constant sizes are the rule for RAWs.
    @Test(arguments: [nil, "", "relativePath bnVsbA==", "filetype aW1hZ2UvanBlZw=="]) func aLengthAloneIsNoReasonToGoOn(
        _ notes: String?
    ) async throws {
        let sample = try SampleJob(count: 10_000), patches = Mutex(0)
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": return .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD":
                let facts = [("Upload-Offset", "4000"), ("Upload-Length", "10000")]
                return .answer(200, headers: facts + (notes.map { [("Upload-Metadata", $0)] } ?? []))
            default:
                let isFirst = patches.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .reset(afterBody: 4000) : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        #expect(await code(target, sample) == .network)
        #expect(await code(target, sample) == nil)
        #expect(server.seen.map(\.method) == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
        #expect(server.seen.last?[header: "Upload-Offset"] == "0")
    }

    /// All of some upload of that length is there: ours, or another one.
    ///
    /// Nothing is said to be delivered, and nothing stored twice, before somebody has looked.
    @Test func aWholeUploadOfUnknownFileIsLookedAtOnce() async throws {
        let sample = try SampleJob(count: 10_000), patches = Mutex(0)
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": return .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD": return .answer(200, headers: [("Upload-Offset", "10000"), ("Upload-Length", "10000")])
            default:
                let isFirst = patches.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .hangUpAfterBody : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder()
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == .network)
        // Another process, later.
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == .rejected)
        #expect(server.seen.count { $0.method == "POST" } == 1)
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == nil)
        #expect(server.seen.count { $0.method == "POST" } == 2)
    }

    /// The address of an upload that was begun belongs to another one by now.
    @Test func anotherUploadAtTheSameAddressIsNotOurs() async throws {
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD": .answer(200, headers: [("Upload-Offset", "10000"), ("Upload-Length", "20000")])
            default: number == 1 ? .reset(afterBody: 4000) : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(count: 10_000), state = try ScratchFolder()
        let target = try Tus.target(server.url, nil, state: state.path)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        _ = try await target.upload(sample.job())
        #expect(server.seen.map(\.method) == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
    }

    /// Uploads that are handed on or expire once they are whole: nobody can ask for them.
    @Test(arguments: [404, 410, 403]) func whatMayHaveArrivedIsNotSentAgainUnasked(_ status: Int) async throws {
        let sample = try SampleJob(count: 10_000)
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD": .answer(status)
            case "OPTIONS": .answer(204)
            default: number < 3 ? .hangUpAfterBody : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder()
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == .network)
        // Another process, later.
        let target = try Tus.target(server.url, nil, state: state.path)
        #expect(await code(target, sample) == .rejected)
        #expect(server.seen.count { $0.method == "POST" } == 1)
        // Somebody has looked, and had it tried again.
        #expect(await code(target, sample) == nil)
        #expect(server.seen.count { $0.method == "POST" } == 2)
    }

    /// Who is killed before the ledger knows of the answer leaves nobody else who does; once the run has ended, the same
    /// bytes may be wanted again.
    @Test(arguments: [true, false]) func anAnswerCountsOnceTheRunHasEnded(_ hasEnded: Bool) async throws {
        let sample = try SampleJob(count: 10_000), other = try SampleJob(count: 10_000)
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD": .answer(404)
            default: .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        #expect(await code(target, sample) == nil)
        // What is noted of others says nothing of it.
        #expect(await code(target, other) == nil)
        if hasEnded { try await target.finishRun([]) }
        // Another process, later.
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == (hasEnded ? nil : .rejected))
        #expect(server.seen.count { $0.method == "POST" } == (hasEnded ? 3 : 2))
    }

    /// A server that has lost count says the same for ever: who has looked gets another upload.
    @Test func anUploadThatIsLongerThanItsFileIsRefusedOnce() async throws {
        let sample = try SampleJob(count: 10_000), patches = Mutex(0)
        let notes = "sha256 " + Base64.text(of: Array(sample.digests.sha256.utf8))
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": return .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD":
                return .answer(
                    200, headers: [("Upload-Offset", "20000"), ("Upload-Length", "10000"), ("Upload-Metadata", notes)])
            default:
                let isFirst = patches.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .reset(afterBody: 4000) : .answer(204, headers: [("Upload-Offset", "10000")])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        #expect(await code(target, sample) == .network)
        #expect(await code(target, sample) == .rejected)
        #expect(server.seen.count { $0.method == "POST" } == 1)
        // Another process, later.
        #expect(await code(try Tus.target(server.url, nil, state: state.path), sample) == nil)
        #expect(server.seen.count { $0.method == "POST" } == 2)
    }

    /// With a part still to come it cannot have arrived, nor after a plain no.
    @Test(arguments: ["part", "refused"]) func whatCannotHaveArrivedIsBegunAnew(_ way: String) async throws {
        let sample = try SampleJob(count: 10_000), patches = Mutex(0)
        let server = try FaultServer { seen, number in
            switch seen.method {
            case "POST": return .answer(201, headers: [("Location", "/files/\(number)")])
            case "HEAD": return .answer(404)
            default:
                let first = patches.withLock { count in
                    count += 1
                    return count == 1
                }
                if first, way == "part" { return .hangUpAfterBody }
                if first, way == "refused" { return .answer(413) }
                let length = Int(seen[header: "Content-Length"] ?? "") ?? 0
                let offset = Int(seen[header: "Upload-Offset"] ?? "") ?? 0
                return .answer(204, headers: [("Upload-Offset", String(offset + length))])
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), chunk = way == "part" ? ByteCount(4000) : nil
        let first = await code(try Tus.target(server.url, nil, state: state.path, chunk: chunk), sample)
        #expect(first == ["part": .network, "refused": .rejected][way])
        #expect(await code(try Tus.target(server.url, nil, state: state.path, chunk: chunk), sample) == nil)
        #expect(server.seen.count { $0.method == "POST" } == 2)
    }

    /// Who is let in no more has lost no upload.
    @Test func aRefusedAccountIsHeld() async throws {
        let sample = try SampleJob(count: 10_000)
        let server = try FaultServer { seen, _ in
            switch seen.method {
            case "POST": .answer(201, headers: [("Location", "/files/7")])
            case "PATCH": .hangUpAfterBody
            default: .answer(403)
            }
        }
        defer { server.stop() }
        let state = try ScratchFolder(), target = try Tus.target(server.url, nil, state: state.path)
        #expect(await code(target, sample) == .network)
        #expect(await code(target, sample) == .unauthorized)
        #expect(await code(target, sample) == .unauthorized)
    }

    private func code(_ target: TusTarget, _ sample: SampleJob) async -> IngestError.Code? {
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            return nil
        } catch { return error.code }
    }
}
