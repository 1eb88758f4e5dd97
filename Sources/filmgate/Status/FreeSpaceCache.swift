import FileKit
import FilmgateCore
import Synchronization

/// How much room folders have, as it was found a moment ago: whoever looks at a disk that hangs does not wait for it.
final class FreeSpaceCache: Sendable {
    private struct Room {
        var free: UInt64?
        /// Since when it is being asked.
        var asked: ContinuousClock.Instant?
    }
    private static let patience = Duration.seconds(5)
    private let rooms = Mutex<[String: Room]>([:])

    /// Bytes; nil before the first answer, where the folder is not there, and while its disk does not answer.
    func free(_ folder: String) -> UInt64? {
        let now = ContinuousClock.now
        let room = rooms.withLock { rooms in
            defer { if rooms[folder]?.asked == nil { rooms[folder, default: Room()].asked = now } }
            return rooms[folder] ?? Room()
        }
        if let asked = room.asked { return now - asked < Self.patience ? room.free : nil }
        BlockingThread.run {
            let found = Result { () throws(IngestError) in
                try FileFacts.of(folder) == nil ? nil : try FileSystem.freeBytes(folder)
            }
            self.rooms.withLock { $0[folder] = Room(free: (try? found.get()) ?? nil) }
        }
        return room.free
    }
}
