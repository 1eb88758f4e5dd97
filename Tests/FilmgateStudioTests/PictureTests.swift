import FilmgateCore
import FilmgateLedger
import Foundation
import HTTPTypes
import PreviewKit
import TestThreads
import Testing

@testable import FilmgateSample
@testable import FilmgateStudio

/// Pictures as the page gets them.
@Suite(.ownThreads, .enabled(if: StudioBench.decoderIsThere), .timeLimit(.minutes(5))) struct PictureTests {
    private let frame = SampleContents(seed: 3, width: 320).jpeg(Frame.wedding[0])

    /// A page over one file, whose copy lies in a folder; `rows`: others, of which there is none.
    private func with(
        previews: Bool = true, beside rows: [AssetRow] = [],
        _ body: (StudioBench, _ id: String, _ path: String) async throws -> Void
    ) async throws {
        try await StudioBench.with(previews: previews) { bench async throws in
            let root = bench.folder + "/copies", path = root + "/day/IMG_1.JPG"
            try FileManager.default.createDirectory(atPath: root + "/day", withIntermediateDirectories: true)
            try Data(frame).write(to: URL(fileURLWithPath: path))
            var delivery = Rows.delivery(1)
            (delivery.target, delivery.path, delivery.size) = ("folder:" + root, "day/IMG_1.JPG", UInt64(frame.count))
            delivery.receipt.path = path
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([.asset(Rows.asset(1)), .asset(Rows.asset(2)), .delivery(delivery)])
            try await ledger.record(rows.map { .asset($0) })
            ledger.close()
            let list = try bench.client.send("GET", "/api/v1/frames?q=IMG_1", try bench.token(.view)).json
            try await body(bench, try #require(list?.at("frames.0.id")?.string), path)
        }
    }

    @Test func aPictureComesAsWhatItIs() async throws {
        try await with { bench, id, _ in
            for size in ["thumbnail", "preview", "full"] {
                let reply = try bench.client.send("GET", "/api/v1/frames/\(id)/\(size)", try bench.token(.pick))
                #expect(reply.status == 200 && reply["Content-Type"] == "image/jpeg", "\(reply.body.prefix(200))")
                #expect(
                    reply["Content-Security-Policy"] == "default-src 'none'; sandbox"
                        && reply["X-Content-Type-Options"] == "nosniff")
                #expect(
                    reply["Cache-Control"]?.contains("immutable") == true
                        && reply["Cross-Origin-Resource-Policy"] == "same-origin")
                let tag = try #require(reply["ETag"])
                #expect(tag.contains(Rows.sha(1)) && tag.contains(size))
                let known = try bench.client.send(
                    "GET", "/api/v1/frames/\(id)/\(size)", try bench.token(.pick).merging(["If-None-Match": tag]) { $1 }
                )
                #expect(known.status == 304 && known.body.isEmpty)
            }
        }
    }

    /// A RAW stands for its shot, and its bytes are nowhere: the list names the JPEG beside it with all that a sheet needs
    /// to show that one's picture instead.
    @Test func theJPEGOfAShotHasThePictureThatItsRAWHasNot() async throws {
        var raw = Rows.asset(0, name: "IMG_1.CR3")
        (raw.kind, raw.shot) = (.raw, Rows.asset(1).shot)
        try await with(beside: [raw]) { bench, id, _ in
            let token = try bench.token(.view)
            let list = try bench.client.send("GET", "/api/v1/frames?q=IMG_1&brief=1&group=shot", token).json
            let shot = try #require(list?.at("frames.0")), others = try #require(shot["others"]?.items)
            let lead = try #require(shot["id"]?.string), jpeg = try #require(others.first)
            #expect(shot["kind"]?.string == "raw" && others.count == 1 && jpeg["id"]?.string == id)
            #expect(jpeg["kind"]?.string == "jpeg" && jpeg["sha256"]?.string == Rows.sha(1))
            for size in ["thumbnail", "preview"] {
                let missing = try bench.client.send("GET", "/api/v1/frames/\(lead)/\(size)", token)
                #expect(missing.status == 404 && missing.code == "noPicture" && missing["Retry-After"] == nil)
                #expect(try bench.client.send("GET", "/api/v1/frames/\(id)/\(size)", token).status == 200)
            }
        }
    }

    /// What shows a picture on a page sends no header of its own.
    @Test func halfASessionSeesPicturesAndNothingElse() async throws {
        try await with { bench, id, _ in
            let (cookie, key) = try bench.session(.view), path = "/api/v1/frames/\(id)/thumbnail"
            func status(_ path: String, _ headers: [String: String]) throws -> Int {
                try bench.client.send("GET", path, headers).status
            }
            #expect(try status(path, ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"]) == 200)
            #expect(try status(path, ["Cookie": cookie, "Sec-Fetch-Site": "none"]) == 200)
            #expect(try status(path, ["Cookie": cookie, "X-Filmgate-Key": key]) == 200)
            #expect(try status(path, ["Cookie": cookie]) == 401, "nobody says that the page asks")
            #expect(
                try status(path, ["Cookie": cookie, "X-Filmgate-Key": "wrong", "Sec-Fetch-Site": "same-origin"]) == 401)
            #expect(try status(path, ["Cookie": "\(cookie)0", "Sec-Fetch-Site": "same-origin"]) == 401)
            #expect(try status(path, ["Sec-Fetch-Site": "same-origin"]) == 401)
            for site in ["same-site", "cross-site"] {
                #expect(try status(path, ["Cookie": cookie, "Sec-Fetch-Site": site]) == 403)
            }
            for other in [
                "/api/v1/frames", "/api/v1/frames/\(id)", "/api/v1/board", "/api/v1/session", "/api/v1/stream",
            ] {
                #expect(try status(other, ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"]) == 401, "\(other)")
            }
        }
    }

    @Test func onlyWhoPicksSeesAllPixels() async throws {
        try await with { bench, id, _ in
            let path = "/api/v1/frames/\(id)/full"
            #expect(try bench.client.send("GET", path, try bench.token(.view)).status == 403)
            let (cookie, _) = try bench.session(.view)
            #expect(
                try bench.client.send("GET", path, ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"]).status == 403)
            #expect(try bench.client.send("GET", path, try bench.token(.pick)).status == 200)
        }
    }

    @Test func fewLargePicturesAreOnTheirWayAtOnce() {
        let places = LargePictures()
        var mine = (0..<2).compactMap { _ in places.take("a") }
        #expect(mine.count == 2 && places.take("a") == nil, "no more for one")
        let others = ["b", "c"].compactMap { places.take($0) }
        #expect(others.count == 2 && places.take("d") == nil, "no more for all")
        mine.removeLast()
        let next = places.take("d")
        #expect(next != nil && places.take("a") == nil, "one that is gone makes room for one")
        withExtendedLifetime((mine, others, next)) {}
    }

    @Test func whatMayBeAskedForAgainSaysWhen() {
        func header(_ error: IngestError) -> String? { Answer.refusal(StudioError(error)).headers[.retryAfter] }
        #expect(header(IngestError(.unavailable, "Busy.", retryAfter: .seconds(1))) == "1")
        #expect(header(IngestError(.unavailable, "Busy.", retryAfter: .milliseconds(10))) == "1", "never at once")
        #expect(header(IngestError(.unavailable, "Not installed.")) == nil)
    }

    @Test func aSwappedFileIsNotShown() async throws {
        try await with { bench, id, path in
            let secret = bench.folder + "/secret.jpg"
            try FileManager.default.moveItem(atPath: path, toPath: secret)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: secret)
            let reply = try bench.client.send("GET", "/api/v1/frames/\(id)/thumbnail", try bench.token(.view))
            #expect(reply.status == 404 && reply.code == "noPicture", "\(reply.body)")
            #expect(reply["Cache-Control"] == "no-store" && reply.json?["advice"]?.string?.isEmpty == false)
            // Whoever may not see paths is not told one.
            #expect(!reply.body.contains(bench.folder))
            // And a folder on the way to it.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: secret, toPath: path)
            try FileManager.default.moveItem(atPath: bench.folder + "/copies/day", toPath: bench.folder + "/other")
            try FileManager.default.createSymbolicLink(
                atPath: bench.folder + "/copies/day", withDestinationPath: bench.folder + "/other")
            #expect(
                try bench.client.send("GET", "/api/v1/frames/\(id)/thumbnail", try bench.token(.view)).status == 404)
        }
    }

    @Test func whereThereIsNoneItIsSaid() async throws {
        try await with { bench, _, _ in
            let token = try bench.token(.view)
            let list = try bench.client.send("GET", "/api/v1/frames?q=IMG_2", token).json
            let id = try #require(list?.at("frames.0.id")?.string)
            #expect(try bench.client.send("GET", "/api/v1/frames/\(id)/preview", token).code == "noPicture")
            #expect(try bench.client.send("GET", "/api/v1/frames/0123456789abcdef/preview", token).code == "notFound")
            #expect(try bench.client.send("GET", "/api/v1/frames/..%2f..%2fetc/preview", token).status == 404)
            #expect(try bench.client.send("POST", "/api/v1/frames/\(id)/preview", token).status == 405)
        }
        try await with(previews: false) { bench, id, _ in
            let reply = try bench.client.send("GET", "/api/v1/frames/\(id)/preview", try bench.token(.admin))
            #expect(
                reply.status == 404 && reply.code == "noPicture"
                    && reply.json?["advice"]?.string?.contains("--no-previews") == true)
        }
    }

    @Test func aRunThatTellsIsBusyForAMoment() {
        let activity = RunActivity()
        #expect(!activity.isBusy)
        activity.note(.here)
        #expect(!activity.isBusy)
        activity.note(.change(key: "a", value: "{}", at: WallClock.nanoseconds))
        #expect(activity.isBusy)
    }

    /// One clip of an hour is read or sent for long, and nothing else is told meanwhile.
    @Test func aRunThatReadsOrSendsIsBusyUntilItIsDone() {
        let activity = RunActivity(), past = WallClock.nanoseconds - 60_000_000_000
        func sends(_ count: Int, _ target: String) {
            activity.note(
                .change(key: "target " + target, value: #"{"target":"x","waiting":3,"sending":\#(count)}"#, at: past))
        }
        sends(0, "a")
        #expect(!activity.isBusy, "what waits takes no time")
        sends(1, "a")
        sends(2, "b")
        sends(0, "a")
        #expect(activity.isBusy, "b is still sent to")
        sends(0, "b")
        #expect(!activity.isBusy)
        for end in [RunSignal.gone, .here, .gap] {
            sends(1, "a")
            activity.note(end)
            #expect(!activity.isBusy, "\(end)")
        }
        let reading = RunSignal.change(key: "reading", value: "{}", at: WallClock.nanoseconds)
        activity.note(reading)
        #expect(activity.isBusy && RunActivity.isAll(of: reading))
        #expect(!RunActivity.isAll(of: .here) && !RunActivity.isAll(of: .change(key: "rows 1", value: "{}", at: past)))
    }
}
