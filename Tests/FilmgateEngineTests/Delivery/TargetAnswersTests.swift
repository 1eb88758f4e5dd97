import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Who hears that a target is waited for.
@Suite(.timeLimit(.minutes(1))) struct TargetAnswersTests {
    private let clock = ManualClock(), hub = EventHub()
    private let folder = DeliveryWorld.targets[0], gallery = DeliveryWorld.targets[2]

    @Test func aTargetThatSaysNothingIsToldOfOnce() async {
        let answers = TargetAnswers(hub, clock, isPlan: false), clock = clock
        let (told, tell) = AsyncStream<String>.makeStream()
        hub.watch { if case .waiting(let reason) = $0 { tell.yield(reason.message) } }
        let said = await answers.awaited(gallery) { () async -> String? in
            await clock.passNext(TargetAnswers.notice)
            for await one in told { return one }
            return nil
        }
        #expect(said?.hasPrefix("gallery has given no answer for 2 s") == true)
        await answers.awaited(gallery) { #expect(clock.waits.isEmpty) }
    }

    @Test func nobodyIsToldOfAFolderOrOfWhoAnswersSlowly() async {
        let answers = TargetAnswers(hub, clock, isPlan: false), clock = clock
        await answers.awaited(folder) { #expect(clock.waits.isEmpty) }
        answers.note(silent: false, gallery.identity)
        await answers.awaited(gallery) { #expect(clock.waits.isEmpty) }
    }

    /// A run asks again before it sends; a plan says what it was told.
    @Test func aPlanIsMorePatientThanARun() {
        #expect(TargetAnswers(hub, clock, isPlan: false).patience < TargetAnswers(hub, clock, isPlan: true).patience)
    }
}
