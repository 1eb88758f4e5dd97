import FilmgateEngine
import Glibc
import Testing

@testable import filmgate

/// A run that does not let itself be stopped, because something below it never answers, is ended all the same.
@Suite struct WatchdogTests {
    /// Signals every tenth of a second, as long as a person may press Ctrl-C.
    private static func deaf(to signal: Int32, for seconds: Int) async {
        await Signals.handled(by: RunControl()) {
            for _ in 0..<(10 * seconds) {
                kill(getpid(), signal)
                usleep(100_000)
            }
        }
    }

    @Test func theSecondSignalEndsWhatDoesNotListen() async {
        await #expect(processExitsWith: .exitCode(143)) { await Self.deaf(to: SIGTERM, for: 30) }
        await #expect(processExitsWith: .exitCode(130)) { await Self.deaf(to: SIGINT, for: 30) }
    }

    @Test func aRunThatEndsByItselfIsLeftAlone() async {
        await #expect(processExitsWith: .exitCode(7)) {
            await Signals.handled(by: RunControl()) {
                for _ in 0..<5 {
                    kill(getpid(), SIGTERM)
                    usleep(50_000)
                }
            }
            sleep(2)
            exit(7)
        }
    }
}
