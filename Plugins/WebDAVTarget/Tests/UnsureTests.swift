import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import WebDAVTarget

/// A server in memory that gets wrong what it is told to.
private final class FaultyServer: Sendable {
    /// `late`: no answer, and carried out while the next file comes in.
    enum Renaming { case refused(Int), doneAndSaid(Int), copiedAndUnsaid, late }

    let files: Mutex<[String: [UInt8]]>
    private let renamings: Mutex<[Renaming]>
    private let keeps: Bool
    /// So many uploads break off, and half of each stays under its name.
    private let cuts: Mutex<Int>
    /// What broke off, and is begun anew behind the next upload: threads of a busy server come late.
    private let late = Mutex<[String: [UInt8]]>([:]), comesLate: Bool
    private let lateRenaming = Mutex<(old: String, new: String)?>(nil)

    /// `renamings`: what becomes of the first ones; those behind them go well.
    init(
        _ files: [String: [UInt8]] = [:], renamings: [Renaming] = [], keeps: Bool = true, cuts: Int = 0,
        comesLate: Bool = false
    ) {
        self.files = Mutex(files)
        self.renamings = Mutex(renamings)
        self.keeps = keeps
        self.cuts = Mutex(cuts)
        self.comesLate = comesLate
    }

    var names: [String] { files.withLock { $0.keys.sorted() } }
    var parts: Int { names.count { $0.contains(".filmgate-") } }

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        files.withLock { files in
            switch seen.method {
            case "MKCOL": return .answer(201)
            case "PROPFIND":
                let paths = [seen.target] + files.keys.filter { $0.hasPrefix(seen.target) }
                let list = paths.map { "<D:response><D:href>\($0)</D:href></D:response>" }.joined()
                return .answer(
                    207, body: "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(list)</D:multistatus>")
            case "PUT":
                if seen[header: "If-None-Match"] != nil, !keeps { return .answer(412) }
                if isCut {
                    files[seen.target] = Array(seen.body.prefix(seen.body.count / 2))
                    late.withLock { $0[seen.target] = files[seen.target] }
                    return .answer(503)
                }
                if seen[header: "If-None-Match"] != nil, files[seen.target] != nil { return .answer(412) }
                if let (old, new) = takeLateRenaming() {
                    files[seen.target] = Array(seen.body.prefix(seen.body.count / 2))
                    files[new] = files.removeValue(forKey: old)
                    if files[seen.target] == nil { return .answer(201) }
                }
                if keeps { files[seen.target] = seen.body }
                if comesLate { files.merge(late.withLock { $0 }) { $1 } }
                return .answer(201)
            case "MOVE": return rename(seen, &files)
            case "DELETE": return .answer(files.removeValue(forKey: seen.target) == nil ? 404 : 204)
            default:
                return files[seen.target].map { .answer(200, body: String(decoding: $0, as: UTF8.self)) }
                    ?? .answer(404)
            }
        }
    }

    private var isCut: Bool {
        cuts.withLock { cuts in
            cuts -= 1
            return cuts >= 0
        }
    }

    private func takeLateRenaming() -> (old: String, new: String)? {
        lateRenaming.withLock { renaming in
            defer { renaming = nil }
            return renaming
        }
    }

    private func rename(_ seen: FaultServer.Seen, _ files: inout [String: [UInt8]]) -> FaultAct {
        let fault = renamings.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if case .refused(let status) = fault { return .answer(status) }
        guard let bytes = files[seen.target] else { return .answer(404) }
        guard let name = seen[header: "Destination"].flatMap({ WebAddress($0)?.path }), files[name] == nil else {
            return .answer(412)
        }
        let cut = FaultAct.raw(Array("HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\nCre".utf8))
        if case .late = fault {
            lateRenaming.withLock { $0 = (seen.target, name) }
            return cut
        }
        files[name] = bytes
        if case .copiedAndUnsaid = fault { return cut }
        files[seen.target] = nil
        if case .doneAndSaid(let status) = fault { return .answer(status) }
        return .answer(201)
    }
}

private func failure<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError? {
    do throws(IngestError) {
        _ = try await body()
        return nil
    } catch { return error }
}

/// What a server says of a renaming is looked into before it is believed.
@Suite(.timeLimit(.minutes(5))) struct UnsureTests {
    private static let place = "/dav/IMG_0001.JPG", bytes = Array("a frame".utf8)

    private func served(_ double: FaultyServer, _ body: (WebDAVTarget, UploadJob) async throws -> Void) async throws {
        let server = try FaultServer { _, _ in .compute { double.answer($0) } }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes)
        try await body(try Nginx.target(server.url + "/dav", nil), sample.job())
    }

    /// Under another name its shot would be split over nothing.
    @Test func aRenamingThatFailsOnceIsTriedAgainUnderTheSameName() async throws {
        let double = FaultyServer(renamings: [.refused(404)])
        try await served(double) { (target, job) async throws in
            let error = await failure { () async throws(IngestError) in try await target.upload(job) }
            #expect(error?.code == .unavailable && error?.message.contains("is not there although") == true)
            #expect(try await target.find(job) == nil)
            #expect(try await target.upload(job).existed == false)
        }
        #expect(double.names == [Self.place])
    }

    @Test(arguments: [WebDAVOptions.Placing.move, .direct])
    func aServerThatKeepsNothingIsNotSaidToHaveTheName(_ placing: WebDAVOptions.Placing) async throws {
        let double = FaultyServer(keeps: false), server = try FaultServer { _, _ in .compute { double.answer($0) } }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes)
        let target = try Nginx.target(server.url + "/dav", nil) { $0.placing = placing }
        for _ in 0..<2 {
            let error = await failure { () async throws(IngestError) in try await target.upload(sample.job()) }
            #expect(error?.code == .unavailable && error?.message.contains("other bytes") == false)
        }
    }

    /// libcurl sends a file anew by itself where a kept connection ends: a server whose threads come late would cut the
    /// second with the first.
    @Test func whatWasSentAnewUnaskedIsSentUnderAnotherName() async throws {
        let double = FaultyServer(), names = Mutex<[String]>([])
        let server = try FaultServer { seen, _ in
            guard seen.method == "PUT" else { return .compute { double.answer($0) } }
            let isFirst = names.withLock { names in
                names.append(seen.target)
                return names.count == 1
            }
            return isFirst ? .reset(afterBody: 100_000) : .compute { double.answer($0) }
        }
        defer { server.stop() }
        let sample = try SampleJob(bytes: [UInt8](repeating: 7, count: 12_000_000))
        let target = try Nginx.target(server.url + "/dav", nil)
        // The connection that this leaves is the one that ends.
        _ = try await target.find(sample.job())
        let error = await failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(error?.code == .network)
        _ = try await target.upload(sample.job())
        let sent = names.withLock(\.self)
        #expect(sent.count == 3 && sent[0] == sent[1] && sent[1] != sent[2], "\(sent)")
    }

    /// Without a hidden name in between, what broke off stands under the final one: it is finished, also by the next
    /// process.
    @Test func aCutFileOfOurOwnIsFinished() async throws {
        let double = FaultyServer(cuts: 2), server = try FaultServer { _, _ in .compute { double.answer($0) } }
        let state = Temporary.ownFolder
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes)
        for isLast in [false, false, true] {
            let target = try Nginx.target(server.url + "/dav", nil, state: state) { $0.placing = .direct }
            let error = await failure { () async throws(IngestError) in try await target.upload(sample.job()) }
            #expect(isLast ? error == nil : error?.code == .unavailable, "\(String(describing: error))")
        }
        #expect(double.files.withLock(\.self) == [Self.place: Self.bytes])
    }

    /// The same bytes cut short, which we never began to send: somebody is just sending them.
    @Test func aCutFileOfSomebodyIsLeftAlone() async throws {
        let half = Array(Self.bytes.prefix(3)), double = FaultyServer([Self.place: half])
        let server = try FaultServer { _, _ in .compute { double.answer($0) } }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes)
        let target = try Nginx.target(server.url + "/dav", nil, state: Temporary.ownFolder) { $0.placing = .direct }
        #expect(
            await failure { () async throws(IngestError) in try await target.upload(sample.job()) }?.code == .nameTaken)
        #expect(double.files.withLock(\.self) == [Self.place: half])
    }

    /// The connection died after the renaming, and libcurl asked again on another one.
    @Test(arguments: [404, 412]) func whatWasRenamedIsDeliveredWhateverTheAnswer(_ status: Int) async throws {
        let double = FaultyServer(renamings: [.doneAndSaid(status)])
        try await served(double) { (target, job) async throws in
            let receipt = try await target.upload(job)
            #expect(!receipt.existed && receipt.verified == .reread)
        }
        #expect(double.names == [Self.place])
    }

    @Test func whatSomebodyHadBeforeIsADuplicate() async throws {
        let double = FaultyServer([Self.place: Self.bytes])
        try await served(double) { (target, job) async throws in #expect(try await target.upload(job).existed) }
        #expect(double.names == [Self.place])
    }

    @Test(arguments: [404, 412]) func otherBytesHaveTheName(_ status: Int) async throws {
        let double = FaultyServer([Self.place: [0x78]], renamings: [.refused(status)])
        try await served(double) { (target, job) async throws in
            #expect(await failure { () async throws(IngestError) in try await target.upload(job) }?.code == .nameTaken)
        }
        #expect(double.names == [Self.place] && double.files.withLock { $0[Self.place] } == [0x78])
    }

    /// A killed run left its hidden file beside the whole one: a look leaves it, a run that delivers removes it.
    @Test func aKilledTrysPartIsRemoved() async throws {
        let double = FaultyServer([Self.place: Self.bytes])
        try await served(double) { (target, job) async throws in
            let part = "/dav/" + target.part(of: job, at: job.path)
            double.files.withLock { $0[part] = [0x61] }
            #expect(try await target.find(job)?.verified == .reread)
            #expect(double.parts == 1)
            try await target.finishRun([])
        }
        #expect(double.names == [Self.place])
    }

    /// What a server writes late of a try that broke off cuts nothing that was sent since, and goes in the end.
    @Test func aServerThatComesLateCutsNothing() async throws {
        let double = FaultyServer(cuts: 2, comesLate: true)
        try await served(double) { (target, job) async throws in
            for _ in 0..<2 {
                #expect(
                    await failure { () async throws(IngestError) in try await target.upload(job) }?.code == .unavailable
                )
            }
            #expect(try await target.upload(job).state == .done)
            #expect(double.files.withLock { $0[Self.place] } == Self.bytes)
            try await target.finishRun([])
        }
        #expect(double.names == [Self.place])
    }

    @Test func aLostAnswersPartIsRemovedByWhatIsSentNext() async throws {
        let double = FaultyServer(renamings: [.copiedAndUnsaid]), other = try SampleJob(bytes: [0x62])
        try await served(double) { (target, job) async throws in
            #expect(await failure { () async throws(IngestError) in try await target.upload(job) }?.code == .network)
            #expect(try await target.find(job) != nil)
            #expect(double.parts == 1)
            _ = try await target.upload(other.job("IMG_0002.JPG"))
        }
        #expect(double.names == [Self.place, "/dav/IMG_0002.JPG"])
    }

    /// The renaming whose answer was lost is carried out while the next try sends: it finds nothing half sent.
    @Test func aRenamingThatComesLateNamesNothingHalfSent() async throws {
        let double = FaultyServer(renamings: [.late])
        try await served(double) { (target, job) async throws in
            #expect(await failure { () async throws(IngestError) in try await target.upload(job) }?.code == .network)
            #expect(try await target.find(job) == nil)
            #expect(try await target.upload(job).state == .done)
            #expect(double.files.withLock { $0[Self.place] } == Self.bytes)
            try await target.finishRun([])
        }
        #expect(double.names == [Self.place])
    }

    @Test func whereNothingWasLeftNothingIsAskedFor() async throws {
        let double = FaultyServer([Self.place: Self.bytes])
        let server = try FaultServer { _, _ in .compute { double.answer($0) } }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes), target = try Nginx.target(server.url + "/dav", nil)
        #expect(try await target.find(sample.job()) != nil)
        try await target.finishRun([])
        #expect(!server.seen.contains { $0.method == "DELETE" })
    }

    /// A network's sign-in that answers everything with yes says nothing of any file: none is set aside for it.
    @Test(arguments: ["OK", #"{"error": "no session"}"#, ""]) func aYesThatIsNoListHoldsTheTarget(
        _ body: String
    ) async throws {
        let server = try FaultServer { _, _ in .answer(200, body: body) }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes), target = try Nginx.target(server.url + "/dav", nil)
        let job = sample.job()
        let errors = [
            await failure { () async throws(IngestError) in try await target.occupancy(of: job.path, for: job) },
            await failure { () async throws(IngestError) in try await target.find(job) },
            await failure { () async throws(IngestError) in try await target.check() },
        ]
        for error in errors { #expect(error?.code == .untrusted && error?.advice?.contains("WebDAV") == true) }
        #expect(server.seen.allSatisfy { $0.method == "PROPFIND" })
    }

    /// PUT below a folder that is not there is 409 (RFC 4918 §9.7.1); the folder of `url` is nobody's to make, and
    /// every file hears the same.
    @Test(arguments: [404, 410, 207]) func aMissingFolderOfTheAddressHoldsTheTarget(_ status: Int) async throws {
        let server = try FaultServer { seen, _ in
            seen.method == "PROPFIND" || seen.method == "HEAD" || seen.method == "GET"
                ? .answer(status) : .answer(409, body: "<title>409 Conflict</title><h1>409 Conflict</h1>")
        }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes), target = try Nginx.target(server.url + "/dav", nil)
        let error = await failure { () async throws(IngestError) in
            try await target.upload(sample.job(path: "2026/a.jpg"))
        }
        guard status != 207 else {
            // It is there: what was removed below it is made again by the next try.
            #expect(error?.code == .unavailable)
            let made = server.seen.count { $0.method == "MKCOL" }
            _ = await failure { () async throws(IngestError) in
                try await target.upload(sample.job(path: "2026/a.jpg"))
            }
            #expect(made == 1 && server.seen.count { $0.method == "MKCOL" } == 2)
            return
        }
        #expect(error?.code == .untrusted && error?.advice?.contains("Create the folder") == true)
        #expect(
            error?.message.contains("The folder of `url`, \(server.url)/dav/, is not there") == true,
            "\(error?.message ?? "")")
    }

    /// An address that the server does not know concerns every file: none is set aside for it.
    @Test(arguments: [404, 410]) func anUnknownAddressHoldsTheTarget(_ status: Int) async throws {
        let server = try FaultServer { seen, _ in .answer(seen.method == "MKCOL" ? 201 : status) }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes), target = try Nginx.target(server.url + "/dav", nil)
        let error = await failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(error?.code == .untrusted && error?.message.contains("does not know this address (\(status))") == true)
        #expect(error?.advice?.contains("Check `url`") == true && error?.advice?.contains("filmgate retry") == true)
    }

    /// The same frame by two stations: what one sends must not be what the other just renamed.
    @Test func twoStationsSendUnderTwoHiddenNames() async throws {
        let double = FaultyServer(), server = try FaultServer { _, _ in .compute { double.answer($0) } }
        defer { server.stop() }
        let sample = try SampleJob(bytes: Self.bytes)
        for _ in 0..<2 {
            let target = try Nginx.target(server.url + "/dav", nil, state: Temporary.ownFolder)
            _ = await failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        }
        let parts = server.seen.filter { $0.method == "PUT" }.map(\.target)
        #expect(parts.count == 2 && Set(parts).count == 2, "\(parts)")
    }
}
