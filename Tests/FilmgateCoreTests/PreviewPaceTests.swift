import FilmgateCore
import Testing

/// Small pictures take a small part of a camera's time.
@Suite struct PreviewPaceTests {
    @Test func theFirstIsAskedForAtOnce() { #expect(PreviewPace().due <= .now) }

    @Test func nothingIsAskedForManyTimesAsLongAsOneTook() {
        var pace = PreviewPace()
        let begun = ContinuousClock.now - .milliseconds(100)
        pace.asked(at: begun)
        // A machine that is slow just now makes it longer, never shorter.
        #expect(pace.due - begun >= .milliseconds(2000))
    }
}
