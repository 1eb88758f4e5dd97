import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

extension FakePlace: PreviewingSession {
    func preview(of origin: Origin, upTo limit: Int) async throws(IngestError) -> [UInt8]? {
        Array("small \(origin.name)".utf8)
    }
}

/// Whoever looks on is told what a camera has still to give, and nothing is kept for it.
@Suite(.timeLimit(.minutes(5))) struct UpcomingFramesTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    /// What was told while each file was read.
    private final class Told: Sendable {
        struct Moment: Sendable {
            var names: [String], total: Int, isFirstBegun: Bool, small: String? = nil, begun: [UInt8]? = nil
        }
        private let moments = Mutex<[String: Moment]>([:])
        var all: [String: Moment] { moments.withLock(\.self) }

        /// A frame that is just taken from the listing is told of a moment later.
        func look(_ upcoming: UpcomingFrames, _ name: String, left: Int) async {
            var tries = 0
            while upcoming.next.total != left, tries < 2000 {
                try? await Task.sleep(for: .milliseconds(1))
                tries += 1
            }
            let (frames, total) = upcoming.next
            var moment = Moment(
                names: frames.map(\.origin.name), total: total, isFirstBegun: frames.first?.isBegun ?? false)
            if let last = frames.last, !last.isBegun {
                let small = try? await upcoming.preview(of: last.origin.id)
                moment.small = small.map { String(decoding: $0, as: UTF8.self) }
            }
            if let first = frames.first { moment.begun = try? await upcoming.preview(of: first.origin.id) }
            moments.withLock { [moment] in $0[name] = moment }
        }
    }

    @Test func whatIsStillToBeReadIsTold() async throws {
        let upcoming = UpcomingFrames(), told = Told(), names = (11...40).map { "IMG_\($0).JPG" }
        let camera = FakePlace(
            "Camera", names.map { ($0, "bytes of \($0)") }, source: "ptp",
            whileReading: { name in
                await told.look(upcoming, name, left: names.count - (names.firstIndex(of: name) ?? 0))
            })
        let outcome = try await world.runner(FakeSource([camera])) { $0.upcoming = upcoming }.run(.once)
        #expect(outcome.shown == "30 delivered, exit 0", "\(outcome.shown)")
        for (place, name) in names.enumerated() {
            let moment = try #require(told.all[name]), left = names[place...]
            #expect(moment.total == left.count && moment.isFirstBegun, "\(name)")
            #expect(moment.names == Array(left.prefix(UpcomingFrames.most)), "\(name)")
            // One that is being read, or is the next to be read, is there before a picture of it.
            #expect(moment.begun == nil)
            if left.count > 2 { #expect(moment.small == "small " + (moment.names.last ?? "")) }
        }
        #expect(upcoming.next.total == 0 && upcoming.next.frames.isEmpty)
    }

    private func listing(_ names: [String]) -> IntakeListing {
        let entries = names.map { name in
            SourceEntry(
                origin: Origin(source: "ptp", volume: "v", root: "r", path: name, size: 10, modified: 1),
                kind: MediaKind(fileName: name), shot: ShotPlace(key: String(name.prefix(5)), stem: name))
        }
        let rules = IntakeListing.Rules(
            recognition: Recognition([], hourShift: false), acceptable: [.jpeg, .raw, .sidecar], again: false,
            wanted: WantedCache { _, _ in ["archive"] })
        return IntakeListing(entries, rules: rules)
    }

    @Test func aShotIsOneFrameAndSidecarsAreNone() throws {
        let upcoming = UpcomingFrames()
        let feed = ShotFeed(listing(["IMG_1.JPG", "IMG_1.NEF", "IMG_2.JPG", "IMG_2.XMP"]))
        let shots = try #require(upcoming.begin(FakePlace("Camera", []), feed))
        #expect(upcoming.next.frames.map(\.origin.name) == ["IMG_1.JPG", "IMG_2.JPG"] && upcoming.next.total == 2)
        #expect(upcoming.next.frames.allSatisfy { $0.source == "Camera" && !$0.isBegun })
        // What comes meanwhile stands behind, and a sidecar alone is nothing to look at.
        let late = listing(["IMG_3.JPG", "IMG_4.XMP"])
        for number in 0..<2 { shots.arrived(late.work(number)) }
        #expect(upcoming.next.frames.map(\.origin.name) == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"])
        shots.began(late.work(0))
        #expect(upcoming.next.frames.map(\.isBegun) == [true, false, false])
        shots.ended(late.work(0))
        #expect(upcoming.next.total == 2)
        upcoming.end(shots)
        #expect(upcoming.next.total == 0)
    }

    /// What is there is told, and the camera left alone.
    @Test func noPictureIsAskedForWhileTheRunIsPaused() async throws {
        let upcoming = UpcomingFrames(), gate = PauseGate(), feed = ShotFeed(listing(["IMG_1.JPG"]))
        let shots = try #require(upcoming.begin(FakePlace("Camera", []), feed, gate: gate))
        let asset = try #require(upcoming.next.frames.first).origin.id
        _ = gate.set(shut: true)
        let failure = await #expect(throws: IngestError.self) { try await upcoming.preview(of: asset) }
        #expect(failure?.code == .unavailable && upcoming.next.total == 1)
        _ = gate.set(shut: false)
        #expect(try await upcoming.preview(of: asset) == Array("small IMG_1.JPG".utf8))
        upcoming.end(shots)
    }

    @Test func aSourceWithoutPicturesIsNotTold() {
        let upcoming = UpcomingFrames()
        #expect(upcoming.begin(FakeCamera([1]), ShotFeed(listing(["IMG_1.JPG"]))) == nil)
        #expect(upcoming.begin(FakePlace("Camera", []), nil) == nil)
        #expect(upcoming.next.total == 0)
    }
}
