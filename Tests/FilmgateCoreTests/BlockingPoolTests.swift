import Dispatch
import FilmgateCore
import Glibc
import Synchronization
import Testing

/// What blocks has threads of its own.
@Suite(.timeLimit(.minutes(5))) struct BlockingPoolTests {
    /// On the few threads of a concurrent queue they would wait for one another.
    @Test func asManyAsItIsWideRunAtOnce() async throws {
        let width = 48, pool = BlockingPool(width: width), counter = Counter()
        let met = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<width {
                group.addTask {
                    try await pool.run {
                        counter.enter()
                        for _ in 0..<4_000 where counter.peak < width { usleep(10_000) }
                        return counter.peak == width
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(met == width)
    }

    /// Each thread keeps its stack and its share of the heap: a run of eight hours would hold those of its busiest
    /// moment.
    @Test func threadsOfABusyMomentEndThoughThereIsAlwaysSomeWork() async throws {
        let width = 48, pool = BlockingPool(width: width), counter = Counter(), seen = Seen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask {
                    try await pool.run {
                        counter.enter()
                        _ = seen.threads.withLock { $0.insert(Self.ownThread) }
                        for _ in 0..<4_000 where counter.peak < width { usleep(10_000) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let busy = seen.threads.withLock { $0 }
        func left() -> Int { busy.count { access("/proc/" + $0, F_OK) == 0 } }
        for _ in 0..<2_400 where left() > width / 2 { try await pool.run { _ = usleep(25_000) } }
        let still = left()
        #expect(busy.count == width && still <= width / 2)
    }

    private final class Seen: Sendable {
        let threads = Mutex<Set<String>>([]), order = Mutex<[Int]>([]), isFree = Mutex(false)
    }

    /// The thread's folder below `/proc`.
    private static var ownThread: String {
        var name = [UInt8](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &name, name.count)
        return String(decoding: name.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func aSerialQueueKeepsTheOrderAndIsWaitedFor() {
        let queue = SerialQueue(), seen = Seen()
        for number in 0..<1_000 { queue.add { seen.order.withLock { $0.append(queue.isCurrent ? number : -1) } } }
        queue.waitForAll()
        let order = seen.order.withLock { $0 }
        #expect(order == Array(0..<1_000) && !queue.isCurrent)
    }

    /// It may hold memory that somebody waits for, as a block of a file does.
    @Test func aSerialQueueLetsGoOfEachPieceBeforeTheNext() {
        final class Held: Sendable {
            let room: DispatchSemaphore
            init(_ room: DispatchSemaphore) { self.room = room }
            deinit { room.signal() }
        }
        let queue = SerialQueue(), room = DispatchSemaphore(value: 0), seen = Seen()
        let start = DispatchSemaphore(value: 0)
        queue.add { start.wait() }
        queue.add { [held = Held(room)] in _ = held }
        queue.add { seen.isFree.withLock { $0 = room.wait(timeout: .now() + 30) == .success } }
        start.signal()
        queue.waitForAll()
        let wasFree = seen.isFree.withLock { $0 }
        #expect(wasFree)
    }
}
