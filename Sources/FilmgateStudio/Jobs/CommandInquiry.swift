import FilmgateCore
import Synchronization

/// Asks commands of this program for what they tell, each for so long at most.
///
/// Unlike a job nobody has begun it, nothing of it is kept, and it is ended by force: it only reads.
final class CommandInquiry: Sendable {
    /// What a command said.
    struct Said: Sendable {
        var objects: [JSONValue] = []
        /// Objects that were too many to keep.
        var left = 0
        var lines: [String] = []
        /// Nil where it was ended by force, or could not be started.
        var exit: Int?, wasEnded = false

        /// Why it failed, as it said it.
        var error: JSONValue? { objects.last { $0["type"]?.string == "error" } }
        func all(_ type: String) -> [JSONValue] { objects.filter { $0["type"]?.string == type } }
    }
    /// Commands that are asked at once, objects of one that are kept, the longest of them, and lines.
    static let mostAtOnce = 4, mostObjects = 2000, longest = 16 << 10, mostLines = 20

    private struct State {
        var children: [Int: ChildProcess] = [:], asked = 0, last = 0
        /// Those whose time is over.
        var late: Set<Int> = []
        var isOver = false
    }
    private let state = Mutex(State())
    private let program: JobRunner.Program

    init(_ program: JobRunner.Program) { self.program = program }

    /// Nil where as many are asked already, or the page ends.
    func ask(_ order: Job.Order, within time: Duration) async -> Said? {
        let number: Int? = state.withLock { state in
            guard state.asked < Self.mostAtOnce, !state.isOver else { return nil }
            (state.asked, state.last) = (state.asked + 1, state.last + 1)
            return state.last
        }
        guard let number else { return nil }
        let impatience = Task { if (try? await Task.sleep(for: time)) != nil { kill(number) } }
        let said: Said = await withCheckedContinuation { continuation in
            BlockingThread.run { continuation.resume(returning: self.run(number, self.program.words(order))) }
        }
        impatience.cancel()
        state.withLock { state in
            state.asked -= 1
            state.late.remove(number)
        }
        return said
    }

    /// Ends all of them, and asks no more.
    func end() {
        let children = state.withLock { state in
            state.isOver = true
            return Array(state.children.values)
        }
        for child in children { child.kill() }
    }

    private func kill(_ number: Int) {
        let child = state.withLock { state in
            state.late.insert(number)
            return state.children[number]
        }
        child?.kill()
    }

    private func run(_ number: Int, _ words: [String]) -> Said {
        let started: (child: ChildProcess, reader: JobReader)
        do throws(JobReader.StartFailure) { started = try JobReader.start(words) } catch {
            return Said(lines: ["The command could not be started: \(error.reason)."])
        }
        let isLate = state.withLock { state in
            state.children[number] = started.child
            return state.isOver || state.late.contains(number)
        }
        if isLate { started.child.kill() }
        var said = Said()
        started.reader.read { Self.hear($0, &said) }
        // A second after it has closed its streams it is over, or ended by force.
        let ending = started.child.end(patience: 100)
        state.withLock { $0.children[number] = nil }
        (said.exit, said.wasEnded) = (ending.signal == 0 ? Int(ending.code) : nil, ending.signal != 0)
        return said
    }

    private static func hear(_ part: JobReader.Said, _ said: inout Said) {
        for line in part.objects {
            guard said.objects.count < mostObjects, line.count <= longest else {
                said.left += 1
                continue
            }
            if let object = JSONValue(line), object.members != nil { said.objects.append(object) }
        }
        said.lines += part.words.map { String($0.prefix(Job.longestLine)) }
        said.lines.removeFirst(max(0, said.lines.count - mostLines))
    }
}
