import FilmgateCore
import FilmgateStudio
import Foundation
import TestThreads
import Testing

@testable import filmgate

/// While a camera's card is taken, whoever looks on is told over the control socket what is still to come, and shown it.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct UpcomingTests {
    /// Six frames of which the spool holds one: the gallery that they are for takes nothing, so the camera waits.
    private func waiting(_ body: (Table, Background) throws -> Void) throws {
        let table = try Table(), gallery = try Gallery(table), card = table.path("BODY")
        gallery.stop()
        for number in 1...6 {
            let filling = [UInt8](repeating: UInt8(number), count: 600_000)
            try table.write("BODY/IMG_000\(number).JPG", Data([0xFF, 0xD8] + filling + [0xFF, 0xD9]))
        }
        let camera = try Simulated("ptp", card: card)
        let pipeline = try table.write(
            "camera.yaml",
            """
            version: 1
            spool: { max: 1MiB }
            sources: [ { ptp: { hosts: ["127.0.0.1:\(camera.port)"], usb: false } } ]
            stages: [ { dedupe: {} }, { upload: { to: [gallery] } } ]
            targets: { gallery: { http: { url: "\(gallery.address)/api/assets", auth: studio } } }
            auth: { studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } } }
            """)
        let taking = try Background(
            ["import", "--pipeline", pipeline, "--wait", "60s", "--state", table.state, "--json"],
            environment: Gallery.environment)
        defer { taking.kill(SIGINT) }
        try body(table, taking)
        withExtendedLifetime(camera) {}
    }

    private func list(_ table: Table) -> UpcomingList? {
        ControlWatchTests.Connection(table.state, UpcomingQuestion.frames.line)?.next("total").flatMap {
            UpcomingList($0.serialized)
        }
    }

    private func picture(_ asset: AssetID, _ table: Table) -> JSONValue? {
        ControlWatchTests.Connection(table.state, UpcomingQuestion.picture(asset).line)?.next("picture")
    }

    @Test func anImportShowsWhatIsStillOnTheCamera() throws {
        try waiting { table, _ in
            #expect(
                Background.within(seconds: 30) { self.list(table)?.total == 5 }, "\(String(describing: list(table)))")
            let told = try #require(list(table))
            #expect(told.frames.map(\.name) == (2...6).map { "IMG_000\($0).JPG" })
            #expect(told.frames.map(\.isBegun) == [true, false, false, false, false])
            #expect(told.frames.allSatisfy { $0.kind == .jpeg && $0.size == 600_004 && !$0.source.isEmpty })
            let answer = try #require(picture(told.frames[4].asset, table))
            guard case .bytes(let bytes)? = UpcomingPicture(answer.serialized) else {
                Issue.record("no picture: \(answer.serialized)")
                return
            }
            #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.count < 64_000)
            // As the virtual body writes it: the file's name is in it.
            #expect(bytes.dropFirst(6).starts(with: Array("IMG_0006.JPG".utf8)))
            // What is about to be read, and what nobody listed, has none.
            for asset in [told.frames[0].asset, AssetID(rawValue: "another")] {
                let none = try #require(picture(asset, table))
                #expect(UpcomingPicture(none.serialized) == .missing)
            }
        }
    }

    @Test func whatIsSaidIsUnderstood() {
        var frame = UpcomingList.Frame(
            asset: AssetID(rawValue: "v\u{1F}a/\"b\".JPG"), name: "\"b\".JPG", kind: .raw, size: .max,
            source: "Body\n7")
        frame.isBegun = true
        frame.size = 7
        let list = UpcomingList(frames: [frame], total: 9)
        #expect(UpcomingList(list.line) == list && !list.line.contains("\n"))
        for picture in [UpcomingPicture.bytes([0, 0x0A, 0xFF]), .missing, .later] {
            #expect(UpcomingPicture(picture.line) == picture)
        }
        #expect(UpcomingPicture(#"{"picture":"no Base64!"}"#) == nil)
        #expect(UpcomingList(#"{"frames":[]}"#) == nil && UpcomingList("") == nil)
        guard case .picture(let asset)? = UpcomingQuestion(UpcomingQuestion.picture(frame.asset).line) else {
            Issue.record("the question was not understood")
            return
        }
        #expect(asset == frame.asset)
        #expect(UpcomingQuestion(#"{"watch":{}}"#) == nil)
    }

    /// A line that bounds are not kept in is no picture.
    @Test func aPictureThatIsTooLargeIsNone() {
        let line = UpcomingPicture.bytes([UInt8](repeating: 1, count: 300 << 10)).line
        #expect(UpcomingPicture(line) == nil)
    }
}
