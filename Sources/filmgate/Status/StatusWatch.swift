import Dispatch
import FilmgateCore
import FilmgateEngine
import Glibc

/// `status --watch`: reads the status again and again and shows what has changed.
struct StatusWatch {
    enum Wake: Sendable { case tick, resized, suspended, resumed, key(UInt8), ended(ExitStatus) }

    var reader: StatusReader
    let json: Bool, console: Console
    static let pace = Duration.seconds(1)

    /// Goes on until `q`, Ctrl-C or SIGTERM.
    mutating func run() async throws -> ExitStatus {
        let wakes = WakeSource()
        defer { wakes.close() }
        return isatty(STDOUT_FILENO) == 1 && !json ? try await draw(wakes) : try await tell(wakes)
    }

    private mutating func draw(_ wakes: WakeSource) async throws -> ExitStatus {
        let screen = Screen()
        screen.enter()
        defer { screen.leave() }
        var snapshot = StatusSnapshot()
        for await wake in wakes.stream {
            switch wake {
            case .tick: snapshot = try await next(snapshot, screen)
            case .resized: screen.clear()
            case .suspended:
                screen.leave()
                raise(SIGSTOP)
            case .resumed: screen.enter()
            case .key(let key) where key == UInt8(ascii: "q") || key == 0x04: return .complete
            case .key: continue
            case .ended(let status): return status
            }
            let size = Screen.size
            guard screen.draw(StatusScreen(snapshot: snapshot, width: size.width, height: size.height).lines) else {
                return .complete
            }
        }
        return .complete
    }

    /// A ledger that cannot be read just now is read again; what was shown stays.
    private mutating func next(_ snapshot: StatusSnapshot, _ screen: Screen) async throws -> StatusSnapshot {
        do throws(IngestError) { return try await reader.read() } catch {
            var stale = snapshot
            stale.troubles = [error.message]
            return stale
        }
    }

    /// Without a terminal: a line when something has changed, every ten seconds at most.
    private mutating func tell(_ wakes: WakeSource) async throws -> ExitStatus {
        var last = "", ticks = 0
        for await wake in wakes.stream {
            switch wake {
            case .ended(let status): return status
            case .tick:
                defer { ticks += 1 }
                guard ticks % (json ? 1 : 10) == 0 else { continue }
                let snapshot: StatusSnapshot
                do throws(IngestError) { snapshot = try await reader.read() } catch {
                    console.err(error.description)
                    continue
                }
                let line = json ? StatusLine.json(snapshot) : StatusLine.human(snapshot)
                if line != last, !console.tryOut(line) { return .complete }
                last = line
            default: continue
            }
        }
        return .complete
    }
}

/// What wakes the watch: time, keys, signals.
final class WakeSource {
    let stream: AsyncStream<StatusWatch.Wake>
    private let feed: AsyncStream<StatusWatch.Wake>.Continuation
    private let queue = DispatchQueue(label: "filmgate.status")
    private var sources: [any DispatchSourceProtocol] = []

    init() {
        (stream, feed) = AsyncStream<StatusWatch.Wake>.makeStream()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: StatusWatch.pace.inSeconds, leeway: .milliseconds(50))
        add(timer, .tick)
        on(SIGINT, .ended(.interrupted))
        on(SIGTERM, .ended(.terminated))
        on(SIGHUP, .ended(.terminated))
        on(SIGWINCH, .resized)
        on(SIGTSTP, .suspended)
        on(SIGCONT, .resumed)
        if isatty(STDIN_FILENO) == 1 { listen() }
    }

    private func on(_ number: Int32, _ wake: StatusWatch.Wake) {
        signal(number, SIG_IGN)
        add(DispatchSource.makeSignalSource(signal: number, queue: queue), wake)
    }

    private func add(_ source: any DispatchSourceProtocol, _ wake: StatusWatch.Wake) {
        source.setEventHandler { @Sendable [feed] in feed.yield(wake) }
        source.activate()
        sources.append(source)
    }

    private func listen() {
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        keys.setEventHandler { @Sendable [feed] in
            var key: UInt8 = 0
            feed.yield(read(STDIN_FILENO, &key, 1) == 1 ? .key(key) : .ended(.complete))
        }
        keys.activate()
        sources.append(keys)
    }

    func close() {
        for source in sources { source.cancel() }
        feed.finish()
    }
}
