import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What a run waits by: a mutex, a gate in order, a token that is set once; the pause is such a token, a wake-up a
/// stream that holds one.
@Suite(.timeLimit(.minutes(2))) struct WaitingTests {
    private final class Course: Sendable {
        private let steps = Mutex<[Int]>([])
        var all: [Int] { steps.withLock(\.self) }
        func add(_ step: Int) { steps.withLock { $0.append(step) } }
    }

    /// Returns once `isSo`; what it waits for is under way.
    private func until(_ isSo: () async -> Bool) async { while !(await isSo()) { await Task.yield() } }

    // MARK: AsyncMutex

    @Test func whoWaitsForAMutexFirstHasItFirst() async {
        let mutex = AsyncMutex(), course = Course()
        await mutex.take()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<200 {
            tasks.append(
                Task {
                    await mutex.take()
                    course.add(number)
                    await mutex.give()
                })
            await until { await mutex.count == number + 1 }
        }
        #expect(course.all.isEmpty)
        await mutex.give()
        for task in tasks { await task.value }
        #expect(course.all == Array(0..<200))
        // Nobody has it now.
        await mutex.take()
    }

    // MARK: OrderedGate

    @Test func shotsPassInTheirOrderWhateverOrderTheyComeIn() async {
        let gate = OrderedGate(), course = Course()
        await withTaskGroup(of: Void.self) { group in
            for index in (0..<100).reversed() {
                group.addTask {
                    await gate.enter(index)
                    // Whoever is in may ask again.
                    await gate.enter(index)
                    course.add(index)
                    await gate.leave(index)
                }
                await Task.yield()
            }
        }
        #expect(course.all == Array(0..<100))
    }

    // MARK: CancelToken

    @Test func aTokenWakesAllWhoWaitAndThoseWhoComeLater() async {
        let token = CancelToken(), never = CancelToken()
        let waiting = (0..<20).map { _ in Task { await token.wait(or: never) } }
        await until { token.count == 20 }
        token.set()
        for task in waiting { await task.value }
        await token.wait(or: never)
        #expect(token.count == 0 && never.count == 0)
    }

    @Test func whatRunsDuringATokenIsCancelledByItAndByItsCaller() async {
        let clock = ManualClock(), token = CancelToken(clock)
        let sleeping = Task { await token.sleep(.seconds(60)) }
        await clock.awaits(.seconds(60))
        token.set()
        #expect(await sleeping.value == false)
        let other = CancelToken(clock), caller = Task { await other.sleep(.seconds(70)) }
        await clock.awaits(.seconds(70))
        caller.cancel()
        #expect(await caller.value && !other.isSet && other.count == 0)
    }

    // MARK: PauseGate

    @Test func aPauseEndsForAllWhoStandInLine() async {
        let gate = PauseGate(), stopping = CancelToken()
        #expect(gate.set(shut: true) && !gate.set(shut: true) && gate.isShut)
        let waiting = (0..<20).map { _ in Task { await gate.pass(or: stopping) } }
        await until { stopping.count == 20 }
        #expect(gate.set(shut: false) && !gate.set(shut: false) && !gate.isShut)
        for task in waiting { await task.value }
        #expect(stopping.count == 0)
    }

    /// A cancelled task is none that may read while the run is paused.
    @Test func aPauseHoldsWhoIsCancelledUntilTheRunIsStopped() async {
        let gate = PauseGate(), stopping = CancelToken(), course = Course()
        _ = gate.set(shut: true)
        let reading = Task {
            await gate.pass(or: stopping)
            course.add(1)
        }
        await until { stopping.count == 1 }
        reading.cancel()
        for _ in 0..<100 { await Task.yield() }
        #expect(course.all.isEmpty && stopping.count == 1)
        stopping.set()
        await reading.value
        #expect(gate.isShut)
    }

    @Test func noEndOfAPauseIsMissed() async {
        let gate = PauseGate(), stopping = CancelToken()
        for _ in 0..<2000 {
            _ = gate.set(shut: true)
            async let passing: Void = gate.pass(or: stopping)
            async let opening = gate.set(shut: false)
            _ = await (passing, opening)
        }
        #expect(stopping.count == 0)
    }

    /// What ends a source is what went wrong first, whichever of its readers tells it last.
    @Test func aTokenKeepsTheFirstErrorThatItIsSetWith() {
        let token = CancelToken(), course = Course()
        _ = token.whenSet { course.add(1) }
        #expect(token.error == nil && !token.isSet)
        token.set(IngestError(.deviceGone, "pulled"))
        token.set(IngestError(.unexpected, "after that"))
        token.set()
        #expect(token.error?.message == "pulled" && token.isSet && course.all == [1])
    }

    // MARK: WakeSignal

    @Test func aWakeUpThatComesBeforeTheSleepCountsOnce() async {
        let clock = ManualClock(), stopping = CancelToken(clock), signal = WakeSignal()
        signal.wake()
        signal.wake()
        await signal.wait(atMost: nil, or: stopping)
        let sleeping = Task { await signal.wait(atMost: .seconds(90), or: stopping) }
        await clock.passNext(.seconds(90))
        await sleeping.value
        #expect(clock.waits.isEmpty && stopping.count == 0)
    }

    @Test func aSleeperIsWokenByASignalAndByTheEndOfTheRun() async {
        let clock = ManualClock(), stopping = CancelToken(clock), signal = WakeSignal()
        let sleeping = Task { await signal.wait(atMost: .seconds(90), or: stopping) }
        await clock.awaits(.seconds(90))
        signal.wake()
        await sleeping.value
        #expect(clock.waits.isEmpty)
        let last = Task { await signal.wait(atMost: .seconds(80), or: stopping) }
        await clock.awaits(.seconds(80))
        stopping.set()
        await last.value
    }
}
