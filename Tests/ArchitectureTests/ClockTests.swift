import Testing

/// A run has one clock, which a test can hold: nothing in its rooms asks for the time or sleeps by itself.
@Suite struct ClockTests {
    static let rooms = ["Run", "Intake", "Line", "Naming", "Delivery"].map { "Sources/FilmgateEngine/\($0)/" }
    /// The machine's clock itself.
    static let clock = "Sources/FilmgateEngine/Run/TimerQueue.swift"

    @Test(
        arguments: Repository.code.filter { file in rooms.contains { file.path.hasPrefix($0) } && file.path != clock })
    func runsAskTheirClock(_ file: Repository.File) {
        for (index, line) in file.code.enumerated()
        where ["Clock", ".sleep", ".now"].contains(where: { line.contains($0) }) {
            let asks = line.firstMatch(of: /WallClock\.|Task\.sleep|Clock\.now|Clock\(\)|(^|[^\w)\]?])\.now\b/)
            #expect(asks == nil, "\(file.path):\(index + 1) has a clock of its own; RunClock is the one of the run")
        }
    }
}
