import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What waits and what is held over all events of a run, for whoever knows a target by its name alone.
@Suite struct QueueCountsTests {
    private final class Said: Sendable { let all = Mutex<[String]>([]) }
    private let said = Said()

    /// Queues of several events are shown as one.
    @Test func countsOfOneTargetAreAdded() {
        let hub = EventHub(), said = said
        hub.watch { event in
            guard case .queue(let name, let waiting, let sending) = event else { return }
            said.all.withLock { $0.append("\(name) \(waiting) \(sending)") }
        }
        let counts = QueueCounts(hub), (one, other) = (counts.part(), counts.part())
        one.post(.queue(target: "gallery", waiting: 3, sending: 1))
        other.post(.queue(target: "gallery", waiting: 2, sending: 2))
        one.post(.queue(target: "gallery", waiting: 0, sending: 0))
        other.post(.queue(target: "archive", waiting: 5, sending: 0))
        #expect(said.all.withLock { $0 } == ["gallery 3 1", "gallery 5 3", "gallery 2 2", "archive 5 0"])
    }

    /// Whoever watches a target is told that it is held as long as one event's queue is.
    @Test func aTargetIsHeldUntilAllAreReleased() {
        let hub = EventHub(), said = said
        hub.watch { event in
            switch event {
            case .held(let name, let reason): said.all.withLock { $0.append("\(name): \(reason)") }
            case .released(let name): said.all.withLock { $0.append("\(name) is released") }
            default: break
            }
        }
        let counts = QueueCounts(hub), (one, other) = (counts.part(), counts.part())
        one.post(.held(target: "gallery", reason: "it is away"))
        other.post(.held(target: "gallery", reason: "it refuses"))
        one.post(.released(target: "gallery"))
        other.post(.released(target: "gallery"))
        #expect(
            said.all.withLock { $0 } == [
                "gallery: it is away", "gallery: it refuses", "gallery: it refuses", "gallery is released",
            ])
        // One that ends holds nothing.
        one.post(.held(target: "gallery", reason: "it is away"))
        counts.end(one)
        counts.end(other)
        #expect(said.all.withLock { $0.suffix(2) } == ["gallery: it is away", "gallery is released"])
    }
}
