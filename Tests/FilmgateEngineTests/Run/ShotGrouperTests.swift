import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What arrives one file after the other becomes shots again.
@Suite struct ShotGrouperTests {
    private static func entry(_ name: String) -> SourceEntry {
        let key = String(name.prefix { $0 != "." })
        return SourceEntry(
            origin: Origin(source: "camera", volume: "v", root: "r", path: name, size: 10, modified: 1),
            kind: MediaKind(fileName: name), shot: ShotPlace(key: key, stem: key))
    }

    private static func names(_ shot: [SourceEntry]?) -> [String]? { shot?.map(\.origin.path) }

    @Test func aShotIsCompleteOnceNothingMoreOfItHasComeForAMoment() {
        let start = ContinuousClock.now
        var grouper = ShotGrouper()
        let isAlone = grouper.add(Self.entry("A.XMP"), at: start) == nil
        let isBeside = grouper.add(Self.entry("A.JPG"), at: start + .milliseconds(10)) == nil
        let early = grouper.due(at: start + .milliseconds(16)), due = grouper.due(at: start + .milliseconds(25))
        #expect(isAlone && isBeside && early == nil)
        #expect(Self.names(due) == ["A.JPG", "A.XMP"])
        #expect(grouper.end == nil)
        let rest = grouper.finish()
        #expect(rest == nil)
    }

    @Test func aFileOfAnotherShotEndsTheOneBefore() {
        let start = ContinuousClock.now
        var grouper = ShotGrouper()
        _ = grouper.add(Self.entry("A.JPG"), at: start)
        let before = grouper.add(Self.entry("B.JPG"), at: start), last = grouper.finish()
        #expect(Self.names(before) == ["A.JPG"] && Self.names(last) == ["B.JPG"])
    }

    /// What was handed on, in that order.
    private final class Taken: Sendable {
        let shots = Mutex<[[String]]>([])
        let isBegun = CancelToken(), mayGoOn = CancelToken()

        func take(_ shot: [SourceEntry]) async {
            shots.withLock { $0.append(shot.map(\.origin.path)) }
            isBegun.set()
            await mayGoOn.wait(or: CancelToken())
        }
    }

    /// A sidecar that is late, and the frame behind it, come while the picture is just handed on: it must not be named
    /// before its picture.
    @Test(.timeLimit(.minutes(1))) func aShotIsHandedOnAfterTheOneBefore() async {
        let queue = ShotQueue(ManualClock()), taken = Taken()
        let running = Task { await queue.run { shot in await taken.take(shot) } }
        queue.add(Self.entry("A.JPG"))
        await taken.isBegun.wait(or: CancelToken())
        for name in ["A.XMP", "B.JPG"] { queue.add(Self.entry(name)) }
        for _ in 0..<200 { await Task.yield() }
        #expect(taken.shots.withLock(\.self) == [["A.JPG"]])
        taken.mayGoOn.set()
        queue.finish()
        await running.value
        #expect(taken.shots.withLock(\.self) == [["A.JPG"], ["A.XMP"], ["B.JPG"]])
    }

    /// The last shot is complete when nothing more can come, and no alarm is left behind.
    @Test(.timeLimit(.minutes(1))) func nobodyWaitsAtTheEnd() async {
        let clock = TimerQueue(), queue = ShotQueue(clock), taken = Taken()
        taken.mayGoOn.set()
        for number in 0..<100 { queue.add(Self.entry("\(number).JPG")) }
        queue.finish()
        await queue.run { shot in await taken.take(shot) }
        #expect(taken.shots.withLock(\.count) == 100 && clock.count == 0)
    }
}
