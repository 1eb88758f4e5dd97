import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FilmgateStudio

/// Who waits for a folder's files is told, and where that cannot be had, is told to look.
@Suite(.ownThreads, .timeLimit(.minutes(1))) struct WriteWatchTests {
    private final class Count: Sendable {
        let told = Atomic(0)
        func add() { told.add(1, ordering: .relaxed) }
        var value: Int { told.load(ordering: .relaxed) }
    }

    private func made() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-writes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func aWriteIsTold() async throws {
        let folder = try made(), file = folder.appendingPathComponent("x")
        let count = Count(), watch = WriteWatch(folder.path)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: file)
        watch.start { count.add() }
        let handle = try FileHandle(forWritingTo: file)
        // The first ones may come before the watch.
        while count.value < 2 {
            try handle.write(contentsOf: Data([1]))
            try await Task.sleep(for: .milliseconds(20))
        }
        watch.end()
    }

    @Test func whereNothingIsToldSomebodyLooks() async throws {
        let count = Count(), watch = WriteWatch("/nowhere/\(UUID())")
        watch.start { count.add() }
        while count.value < 2 { try await Task.sleep(for: .milliseconds(20)) }
        watch.end()
    }
}
