import Synchronization
import Testing

@testable import FilmgateCore

@Suite struct ByteBudgetTests {
    @Test func countsWhatIsOut() async throws {
        let budget = ByteBudget(limit: 10)
        try await budget.take(4)
        try await budget.take(6)
        #expect(budget.used == 10)
        budget.give(4)
        #expect(budget.used == 6)
        budget.give(6)
        budget.give(100)
        #expect(budget.used == 0)
    }

    @Test func aClaimLargerThanTheBudgetGetsThroughAlone() async throws {
        let budget = ByteBudget(limit: 10)
        try await budget.take(1)
        let huge = Task { try await budget.take(1000) }
        try await budget.settled(waiting: 1)
        budget.give(1)
        try await huge.value
        #expect(budget.used == 10)
        budget.give(1000)
        #expect(budget.used == 0)
    }

    @Test func anEndlessBudgetDoesNotOverflow() async throws {
        let budget = ByteBudget(limit: .max)
        try await budget.take(5)
        let rest = Task { try await budget.take(.max) }
        try await budget.settled(waiting: 1)
        budget.give(5)
        try await rest.value
        #expect(budget.used == .max)
    }

    @Test func roomForMoreThanThereEverIsMeansAllOfIt() async throws {
        let budget = ByteBudget(limit: 10)
        #expect(budget.hasRoom(for: .max))
        try await budget.take(3)
        #expect(budget.hasRoom(for: 7) && !budget.hasRoom(for: 8) && !budget.hasRoom(for: .max))
        #expect(
            UInt64.max.addingClamped(1) == .max && (UInt64.max - 1).addingClamped(1) == .max
                && UInt64(1).addingClamped(2) == 3)
    }

    @Test func firstComeFirstServed() async throws {
        let budget = ByteBudget(limit: 10), log = Log()
        try await budget.take(10)
        var tasks: [Task<Void, any Error>] = []
        // The third would fit at once when five bytes are free; it still waits behind the second.
        for (number, size) in [UInt64(5), 6, 1, 4].enumerated() {
            tasks.append(
                Task {
                    try await budget.take(size)
                    log.add(number)
                })
            try await budget.settled(waiting: number + 1)
        }
        budget.give(5)
        try await tasks[0].value
        #expect(budget.waiting == 3)
        budget.give(5)
        #expect(budget.waiting == 3)
        budget.give(5)
        for task in tasks[1...2] { try await task.value }
        #expect(budget.waiting == 1)
        budget.give(7)
        try await tasks[3].value
        #expect(budget.used == 4)
        #expect(log.entries.first == 0 && log.entries.last == 3)
    }

    @Test func aCancelledWaiterLeavesTheQueueAndLetsTheNextIn() async throws {
        let budget = ByteBudget(limit: 10)
        try await budget.take(6)
        let large = Task { await Result { () async throws(IngestError) in try await budget.take(8) } }
        try await budget.settled(waiting: 1)
        let small = Task { try await budget.take(4) }
        try await budget.settled(waiting: 2)
        large.cancel()
        try await small.value
        guard case .failure(let error) = await large.value else {
            Issue.record("It was granted.")
            return
        }
        #expect(error.code == .cancelled)
        #expect(budget.used == 10)
    }

    @Test func aTaskCancelledBeforeItAsksGetsNothing() async throws {
        let budget = ByteBudget(limit: 10)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Result { () async throws(IngestError) in try await budget.take(1) }
        }
        guard case .failure = await task.value else {
            Issue.record("It was granted.")
            return
        }
        #expect(budget.used == 0)
        #expect(budget.remembered == 0)
    }

    /// Many tasks, some cancelled at any moment: never over the limit, nothing lost, nothing remembered of those that
    /// are gone.
    @Test func stress() async throws {
        let budget = ByteBudget(limit: 100), peak = Log()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        for step in 0..<10 {
                            let size = UInt64((number * 7 + step * 13) % 60 + 1)
                            do throws(IngestError) { try await budget.take(size) } catch { return }
                            if budget.used > 100 { peak.add(Int(budget.used)) }
                            await Task.yield()
                            budget.give(size)
                        }
                    }
                    if number % 3 == 0 {
                        for _ in 0..<number % 5 { await Task.yield() }
                        task.cancel()
                    }
                    await task.value
                }
            }
        }
        #expect(peak.entries == [])
        #expect(budget.used == 0)
        #expect(budget.waiting == 0)
        #expect(budget.remembered == 0)
    }

    @Test func aPoolRunsNoMoreAtOnceThanItIsWide() async throws {
        let pool = BlockingPool(width: 3), counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    try await pool.run {
                        counter.enter()
                        counter.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(counter.peak))
        let error = await #expect(throws: IngestError.self) {
            try await pool.run { () throws(IngestError) in throw IngestError(.storageFull, "full") }
        }
        #expect(error?.code == .storageFull)
    }
}

/// What happened, in order, told from any task.
final class Log: Sendable {
    private let order = Mutex<[Int]>([])
    func add(_ number: Int) { order.withLock { $0.append(number) } }
    var entries: [Int] { order.withLock { $0 } }
}

/// How many are inside at once.
final class Counter: Sendable {
    private let state = Mutex((now: 0, peak: 0))
    var peak: Int { state.withLock(\.peak) }
    func enter() { state.withLock { $0 = ($0.now + 1, max($0.peak, $0.now + 1)) } }
    func leave() { state.withLock { $0.now -= 1 } }
}

extension ByteBudget {
    /// Returns once `count` claims wait.
    func settled(waiting count: Int) async throws {
        while waiting < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
