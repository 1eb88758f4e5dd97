import FilmgateCore
import Glibc
import PreviewWire
import Synchronization

/// Keeps the process that decodes pictures: begins it when it is needed, anew when it died, and ends it when nothing
/// needs it.
final class PreviewDecoder: Sendable {
    private struct State {
        var process: PreviewProcess?
        /// Nothing is decoded before.
        var rest = ContinuousClock.now, lastUse = ContinuousClock.now
    }
    private let program: String?, state = Mutex(State())
    /// Whether a run takes or sends just now.
    private let isBusy: @Sendable () -> Bool

    /// While a run is busy pictures get this part of one processor's time at most.
    private static let share = 10
    private static let longestRest = Duration.seconds(3), idleTime = Duration.seconds(60)

    init(program: String?, isBusy: @escaping @Sendable () -> Bool) { (self.program, self.isBusy) = (program, isBusy) }

    /// As `PreviewProcess.make`; blocks, one thread at a time.
    func make(
        _ request: PreviewRequest, _ read: (_ offset: Int, _ count: Int) throws(IngestError) -> [UInt8]
    ) throws(IngestError) -> (reply: PreviewReply, jpeg: [UInt8]) {
        pause()
        let process = try begun()
        defer { state.withLock { $0.lastUse = .now } }
        do throws(IngestError) {
            let made = try process.make(request, read)
            let rest = min(Self.longestRest, .microseconds(made.reply.microseconds * (Self.share - 1)))
            if isBusy() { state.withLock { $0.rest = .now + rest } }
            return made
        } catch {
            state.withLock { $0.process = nil }
            throw error
        }
    }

    private func pause() {
        let left = (state.withLock(\.rest) - .now).components
        let microseconds = left.seconds * 1_000_000 + left.attoseconds / 1_000_000_000_000
        if microseconds > 0 { usleep(UInt32(clamping: microseconds)) }
    }

    private func begun() throws(IngestError) -> PreviewProcess {
        if let process = state.withLock(\.process), !process.isOver { return process }
        guard let program else {
            throw IngestError(
                .unavailable, "filmgate-previews is not installed.",
                advice: "It belongs beside filmgate: make install puts it there.")
        }
        let process = try PreviewProcess(program: program)
        state.withLock { $0.process = process }
        return process
    }

    /// Ends the process when it was not needed for a minute; false when there is none left.
    func endIfIdle(after time: Duration = idleTime) -> Bool {
        let process: PreviewProcess? = state.withLock { state in
            guard state.lastUse + time <= .now else { return nil }
            return state.process.take()
        }
        process?.end()
        return state.withLock { $0.process != nil }
    }

    /// Whoever waits for a picture is told that there is none.
    func end() { state.withLock { $0.process.take() }?.end() }
}
