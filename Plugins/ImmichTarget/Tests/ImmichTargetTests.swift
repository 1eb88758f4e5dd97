import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import ImmichTarget

/// Verified against a double.
@Suite(.timeLimit(.minutes(5))) struct ImmichTargetTests {
    @Test func oneAssetPerFileHoweverOften() async throws {
        let (double, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server.url)
        try await target.check()
        let first = try await target.upload(sample.job()), second = try await target.upload(sample.job())
        #expect(
            first.id == "asset-1" && !first.existed && second.id == "asset-1" && second.existed
                && second.verified == .found)
        #expect(double.count == 1 && double.holds(sample.digests[.sha1] ?? ""))
        #expect(first.url == server.url + "/photos/asset-1")
    }

    @Test func theFormHoldsWhatEveryReleaseWantsBeforeTheFile() async throws {
        let (_, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let sample = try SampleJob(count: 1000)
        _ = try await target(server.url).upload(sample.job("IMG_7.JPG"))
        let body = try #require(server.seen.first { $0.target == "/api/assets" }?.body)
        let text = String(decoding: body, as: UTF8.self), file = try #require(text.firstRange(of: "name=\"assetData\""))
        for field in ["deviceAssetId", "deviceId", "fileCreatedAt", "fileModifiedAt", "filename"] {
            let place = try #require(text.firstRange(of: "name=\"\(field)\""))
            #expect(place.lowerBound < file.lowerBound)
        }
        #expect(text.contains("2023-11-14T22:13:20.000Z") && !text.contains("duration"))
    }

    @Test func aReleaseThatRefusesTheOldFieldsGetsTheNewOnes() async throws {
        let (_, server) = try ImmichDouble.start(.v3Strict)
        defer { server.stop() }
        let sample = try SampleJob()
        _ = try await target(server.url).upload(sample.job())
        let last = try #require(server.seen.last)
        #expect(!String(decoding: last.body.prefix(2000), as: UTF8.self).contains("deviceAssetId"))
    }

    private static func reject(_ id: String) -> String {
        #"{"id":"\#(id)","action":"reject","reason":"duplicate","assetId":"a-9","isTrashed":false}"#
    }

    /// A server that has the bytes of `FoundDigest`; `answer` says what it answers for all else that it is asked for.
    private static func server(_ answer: @escaping @Sendable (String) -> String?) throws -> FaultServer {
        try FaultServer { _, _ in
            .compute { seen in
                guard case .array(let asked)? = JSONValue(seen.body)?["assets"] else { return .answer(400) }
                let results = asked.compactMap { $0["checksum"]?.text }.compactMap { sha1 in
                    sha1 == FoundDigest.text ? reject(sha1) : answer(sha1)
                }
                return .answer(200, body: #"{"results":[\#(results.joined(separator: ","))]}"#)
            }
        }
    }

    @Test func asksByDigest() async throws {
        let server = try Self.server { #"{"id":"\#($0)","action":"accept"}"# }
        defer { server.stop() }
        let sample = try SampleJob(bytes: [])
        let found = try await target(server.url).find(sample.job())
        #expect(found?.id == "a-9" && found?.verified == .found && found?.existed == true)
    }

    /// Whether it does from the beginning, or only later.
    @Test(arguments: [0, 1, 3]) func aServerThatHasEverythingIsNotBelieved(_ honest: Int) async throws {
        let left = Mutex(honest)
        let server = try Self.server { sha1 in
            left.withLock { left in
                defer { left -= 1 }
                return left > 0 ? #"{"id":"\#(sha1)","action":"accept"}"# : Self.reject(sha1)
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(bytes: []), target = try target(server.url)
        for _ in 0..<honest { #expect(try await target.find(sample.job())?.id == "a-9") }
        for _ in 0..<2 {
            await #expect(throws: IngestError.self) { try await target.find(sample.job()) }
        }
    }

    /// A yes without that no is not enough.
    @Test func aServerThatLeavesOutWhatItHasNotIsNotBelieved() async throws {
        let server = try Self.server { _ in nil }
        defer { server.stop() }
        let sample = try SampleJob(bytes: []), target = try target(server.url)
        await #expect(throws: IngestError.self) { try await target.find(sample.job()) }
    }

    /// The server calls a duplicate what lies in its bin: from there it is removed after a while.
    @Test func whatLiesInTheBinIsNotDelivered() async throws {
        let (double, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server.url)
        _ = try await target.upload(sample.job())
        double.state.withLock { $0.bin = ["asset-1"] }
        #expect(try await target.find(sample.job()) == nil)
        #expect(try await target.knows(sample.job()) == false)
        do throws(IngestError) {
            let receipt = try await target.upload(sample.job())
            Issue.record("It says that it is there: \(receipt)")
        } catch { #expect(error.code == .rejected && error.message.contains("bin")) }
    }

    /// From there it can be downloaded like anything else, until the bin is emptied.
    @Test func whatCanBeReadFromTheBinIsNotThere() async throws {
        let (double, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let sample = try SampleJob(bytes: Array("abc".utf8)), target = try target(server.url), size = sample.size
        let receipt = try await target.upload(sample.job())
        func verified(_ rights: Set<String>) async throws -> Verification {
            double.state.withLock { ($0.rights, $0.originals) = (rights, ["asset-1": "abc"]) }
            return try await target.verify(receipt, size: size, sha256: sample.digests.sha256)
        }
        #expect(try await verified(["asset.read", "asset.download"]) == .equal)
        #expect(try await verified([]) == .cannotTell)
        double.state.withLock { $0.bin = ["asset-1"] }
        for rights in [["asset.read", "asset.download"], ["asset.read"]] as [Set<String>] {
            let said = try await verified(rights)
            guard case .discarded(let why) = said else { return #expect(Bool(false), "\(said)") }
            #expect(why.contains("bin"))
        }
        // A key that may not ask reads the bin like anything else; what it has outside of it the server says by the
        // digest.
        #expect(try await verified(["asset.download"]) == .equal)
        #expect(try await target.knows(sample.job()) == false)
    }

    /// The bytes arrived and the album did not answer: the next try puts them there, and sends nothing twice.
    @Test func whatMissedItsAlbumGetsThereLater() async throws {
        let (double, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let sample = try SampleJob(), job = sample.job("IMG_1.JPG", event: "wedding")
        let target = try target(server.url) { $0.album = Template("{event}") }
        double.state.withLock { $0.closed = true }
        await #expect(throws: IngestError.self) { try await target.upload(job) }
        #expect(try await target.find(job) == nil)
        // Outside its album it is no less there.
        #expect(try await target.knows(job) == true)
        double.state.withLock { $0.closed = false }
        let receipt = try await target.upload(job)
        #expect(receipt.id == "asset-1" && double.state.withLock { $0.grouped } == ["asset-1"])
        #expect(double.copies(sample.digests.sha256) == 1 && server.seen.count { $0.target == "/api/assets" } == 1)
        #expect(try await target.find(job)?.id == "asset-1")
    }

    @Test func albumsAndStacks() async throws {
        let (_, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        let raw = try SampleJob(), jpeg = try SampleJob()
        let target = try target(server.url) { $0.album = Template("{event}") }
        _ = try await target.upload(raw.job("IMG_1.CR3", event: "wedding"))
        _ = try await target.upload(jpeg.job("IMG_1.JPG", event: "wedding"))
        #expect(
            server.seen.map(\.target).filter { $0.hasPrefix("/api/albums") && !$0.contains("a-1") } == [
                "/api/albums?isOwned=true", "/api/albums",
            ])
        let stack = try #require(server.seen.first { $0.target == "/api/stacks" })
        #expect(String(decoding: stack.body, as: UTF8.self) == #"{"assetIds":["asset-2","asset-1"]}"#)
    }

    /// From release 3 on the list of albums holds those of others, too; some keys may not know whose account it is.
    @Test(arguments: [ImmichDouble.Release.v1, .v3Strict], [(true, true), (false, true), (true, false)])
    func anothersAlbumOfThatNameIsNotOurs(
        _ release: ImmichDouble.Release, _ tells: (account: Bool, owners: Bool)
    ) async throws {
        let (double, server) = try ImmichDouble.start(release)
        defer { server.stop() }
        double.state.withLock {
            ($0.foreign, $0.tellsAccount, $0.tellsOwners) = (["wedding": "b-9"], tells.account, tells.owners)
        }
        let sample = try SampleJob(), target = try target(server.url) { $0.album = Template("{event}") }
        let job = sample.job("IMG_1.JPG", event: "wedding")
        _ = try await target.upload(job)
        #expect(server.seen.contains { $0.method == "PUT" && $0.target == "/api/albums/a-1/assets" })
        #expect(!server.seen.contains { $0.target.contains("b-9") })
        // What somebody put into an album of theirs is in none of ours.
        double.state.withLock { ($0.inForeign, $0.grouped) = (["asset-1"], []) }
        #expect(try await target.find(job) == nil)
        double.state.withLock { $0.grouped = ["asset-1"] }
        #expect(try await target.find(job)?.id == "asset-1")
        #expect(try await target.events(nil)?.events.map(\.name) == ["wedding"])
    }

    @Test func albumsAreEventsWhereTheAlbumIsTheEvent() async throws {
        let (double, server) = try ImmichDouble.start(.v1)
        defer { server.stop() }
        double.state.withLock { $0.albums = ["wedding": "a-1"] }
        let page = try await target(server.url) { $0.album = Template("{event}") }.events(nil)
        #expect(page?.events == [GalleryEvent(id: "wedding", name: "wedding")])
        #expect(try await target(server.url) { $0.album = Template("{event} {make}") }.events(nil) == nil)
        #expect(try await target(server.url).events(nil) == nil)
    }

    @Test func whatTheServerDoesNotTakeIsFilteredBefore() throws {
        let traits = try target("https://photos.example").traits
        #expect(traits.accepts == [.jpeg, .raw, .heif, .image, .video] && traits.digests == [.sha1, .xxh128])
    }
}

/// SHA-1 of nothing.
enum FoundDigest { static let text = "da39a3ee5e6b4b0d3255bfef95601890afd80709" }
