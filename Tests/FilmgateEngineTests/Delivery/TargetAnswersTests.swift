import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Who hears that a target is waited for.
@Suite(.timeLimit(.minutes(1))) struct TargetAnswersTests {
    private let clock = ManualClock(), hub = EventHub()
    private let folder = DeliveryWorld.targets[0], gallery = DeliveryWorld.targets[2]

    /// Where it is the only one, nothing goes on meanwhile.
    @Test(arguments: [true, false]) func aTargetThatSaysNothingIsToldOfOnce(isAlone: Bool) async {
        let answers = TargetAnswers(hub, clock, isPlan: false, isAlone: isAlone), clock = clock
        let (told, tell) = AsyncStream<String>.makeStream()
        hub.watch { if case .waiting(let reason) = $0 { tell.yield(reason.message) } }
        let said = await answers.awaited(gallery) { () async -> String? in
            await clock.passNext(TargetAnswers.notice)
            for await one in told { return one }
            return nil
        }
        let rest = isAlone ? "." : "; what is for other targets goes on meanwhile."
        #expect(said == "gallery has given no answer for 2 s" + rest)
        // Whoever watched until then is gone.
        while !clock.waits.isEmpty { await Task.yield() }
        #expect(await !isWatched(gallery, answers, clock))
    }

    @Test func nobodyIsToldOfAFolderOrOfWhoAnswersSlowly() async {
        let answers = TargetAnswers(hub, clock, isPlan: false), other = ManualClock()
        #expect(await isWatched(gallery, TargetAnswers(hub, other, isPlan: false), other), "who has never answered is")
        #expect(await !isWatched(folder, answers, clock))
        answers.note(silent: false, gallery.identity)
        #expect(await !isWatched(gallery, answers, clock))
    }

    /// Whether somebody waits to tell of that target while it is worked with; whoever does begins beside the work.
    private func isWatched(_ target: PlannedTarget, _ answers: TargetAnswers, _ clock: ManualClock) async -> Bool {
        await answers.awaited(target) { () async -> Bool in
            for _ in 0..<10_000 where clock.waits.isEmpty { await Task.yield() }
            return !clock.waits.isEmpty
        }
    }

    /// A run asks again before it sends; a plan says what it was told.
    @Test func aPlanIsMorePatientThanARun() {
        #expect(TargetAnswers(hub, clock, isPlan: false).patience < TargetAnswers(hub, clock, isPlan: true).patience)
    }
}
