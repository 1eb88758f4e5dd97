import FilmgateCore
import FilmgateLedger
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FilmgateSample
@testable import FilmgateStudio

/// Frames that a run has still to read, as the page gets them.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct UpcomingRouteTests {
    private func frame(_ number: Int, isBegun: Bool = false) -> UpcomingList.Frame {
        var frame = UpcomingList.Frame(
            asset: AssetID(rawValue: "secret-volume\u{1F}DCIM/IMG_\(number).JPG"), name: "IMG_\(number).JPG",
            kind: .jpeg,
            size: 1000, source: "secret-body")
        frame.isBegun = isBegun
        return frame
    }

    private func tell(_ bench: StudioBench, _ frames: [UpcomingList.Frame], total: Int) {
        bench.run.upcoming.withLock { $0.list = UpcomingList(frames: frames, total: total) }
    }

    @Test func whatIsStillToBeReadIsTold() async throws {
        try await StudioBench.with { bench async throws in
            let nothing = try bench.client.send("GET", "/api/v1/upcoming", try bench.token(.view))
            #expect(nothing.status == 200 && nothing.json?["total"]?.whole == 0 && nothing.json?["frames"]?.items == [])
            tell(bench, [frame(1, isBegun: true), frame(2)], total: 700)
            // It is asked again after a second.
            try await Task.sleep(for: .milliseconds(1100))
            let list = try bench.client.send("GET", "/api/v1/upcoming", try bench.token(.view))
            #expect(list.json?["total"]?.whole == 700 && !list.body.contains("secret"), "\(list.body)")
            let frames = try #require(list.json?["frames"]?.items)
            #expect(frames.map { $0["name"]?.string } == ["IMG_1.JPG", "IMG_2.JPG"])
            #expect(frames.map { $0["begun"]?.flag } == [true, false] && frames[1]["picture"]?.flag == false)
            let check = SchemaCheck(schemas: try #require(ContractTests.document.at("components.schemas")))
            #expect(check.faults(try #require(list.json), Shape.reference("Upcoming")) == [])
            let trusted = try bench.client.send("GET", "/api/v1/upcoming", try bench.token(.operate))
            #expect(trusted.json?.at("frames.0.source")?.string == "secret-body")
            #expect(trusted.json?.at("frames.0.id") == frames[0]["id"], "each frame has one name for all")
            // Nothing can be shown here, so no camera is asked for anything.
            #expect(bench.run.upcoming.withLock(\.asked).isEmpty)
        }
    }

    /// However many look, the run is asked once a second.
    @Test func aListCountsForASecond() async throws {
        try await StudioBench.with { bench async throws in
            tell(bench, [frame(1)], total: 1)
            let token = try bench.token(.view)
            #expect(try bench.client.send("GET", "/api/v1/upcoming", token).json?["total"]?.whole == 1)
            tell(bench, [], total: 0)
            #expect(try bench.client.send("GET", "/api/v1/upcoming", token).json?["total"]?.whole == 1)
        }
    }

    /// Whose a frame is, and whether it was here before, is known once it is read.
    @Test(arguments: [GrantScope(event: "Smith"), GrantScope(from: 1)])
    func aLinkThatShowsSomeOfTheFilesShowsNoneThatAreStillToCome(_ scope: GrantScope) async throws {
        guard StudioBench.decoderIsThere else { return }
        let bytes = SampleContents(seed: 3, width: 320).jpeg(Frame.wedding[0])
        try await StudioBench.with(previews: true, fill: Rows.few) { bench async throws in
            let made = try bench.server.grants.makeLink(
                role: .view, scope: scope, seconds: 60, label: "", now: bench.now)
            let opened = try bench.pair(made.code)
            let cookie = try #require(opened["Set-Cookie"]?.split(separator: ";").first.map(String.init))
            let key = try #require(opened.json?["key"]?.string, "\(opened.body)")
            let own = ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-origin"]
            tell(bench, [frame(1)], total: 90)
            bench.run.upcoming.withLock { $0.pictures[frame(1).asset] = .bytes(bytes) }
            for _ in 0..<2 {
                let list = try bench.client.send("GET", "/api/v1/upcoming", own)
                #expect(list.json?["frames"]?.items == [] && list.json?["total"]?.whole == 0, "\(list.body)")
            }
            #expect(bench.run.upcoming.withLock(\.asked).isEmpty, "a camera was asked for it")
            // Nor the picture that somebody else has been shown.
            let token = try bench.token(.view), id = try #require(try await shownPicture(bench, token))
            let path = "/api/v1/upcoming/\(id)/thumbnail"
            #expect(try bench.client.send("GET", path, token).status == 200)
            let refused = try bench.client.send("GET", path, own)
            #expect(refused.status == 404 && refused.code == "noPicture", "\(refused.body)")
        }
    }

    /// The first frame that has a picture by now.
    private func shownPicture(_ bench: StudioBench, _ token: [String: String]) async throws -> String? {
        for _ in 0..<200 {
            let frames = try bench.client.send("GET", "/api/v1/upcoming", token).json?["frames"]?.items ?? []
            if let shown = frames.first(where: { $0["picture"]?.flag == true }) { return shown["id"]?.string }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    @Test func aPictureIsMadeAnewAndShownWhileItIsToCome() async throws {
        guard StudioBench.decoderIsThere else { return }
        let bytes = SampleContents(seed: 3, width: 320).jpeg(Frame.wedding[0])
        try await StudioBench.with(previews: true) { bench async throws in
            let frames = [frame(0, isBegun: true), frame(1), frame(2), frame(3)]
            tell(bench, frames, total: 4)
            bench.run.upcoming.withLock { upcoming in
                upcoming.pictures[frames[0].asset] = .bytes(bytes)
                upcoming.pictures[frames[1].asset] = .bytes(bytes)
                upcoming.pictures[frames[2].asset] = .bytes([0xFF, 0xD8, 0x00, 0x3C, 0x73, 0x63, 0x72])
            }
            let token = try bench.token(.view)
            var shown: [JSONValue] = []
            for _ in 0..<200 {
                shown = try bench.client.send("GET", "/api/v1/upcoming", token).json?["frames"]?.items ?? []
                if shown.contains(where: { $0["picture"]?.flag == true }) { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            // What is being read is there soon; of one there is none, and another is no picture.
            #expect(shown.map { $0["picture"]?.flag } == [false, true, false, false], "\(shown)")
            #expect(bench.run.upcoming.withLock(\.asked) == [frames[3], frames[2], frames[1]].map(\.asset))
            let ids = shown.compactMap { $0["id"]?.string }
            let reply = try bench.client.send("GET", "/api/v1/upcoming/\(ids[1])/thumbnail", token)
            #expect(reply.status == 200 && reply["Content-Type"] == "image/jpeg", "\(reply.body.prefix(200))")
            #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(reply["Content-Length"].flatMap { Int($0) } != bytes.count, "the camera's own bytes went out")
            for id in [ids[0], ids[2], ids[3], "0123456789abcdef", "..%2f"] {
                let none = try bench.client.send("GET", "/api/v1/upcoming/\(id)/thumbnail", token)
                #expect(none.status == 404 && none.code == "noPicture", "\(id): \(none.body)")
            }
            // Half a session shows it, as an element of a page asks for it.
            let (cookie, _) = try bench.session(.view)
            let headers = ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"]
            #expect(try bench.client.send("GET", "/api/v1/upcoming/\(ids[1])/thumbnail", headers).status == 200)
            #expect(try bench.client.send("GET", "/api/v1/upcoming", headers).status == 401)
        }
    }
}
