import Synchronization

/// Counts the shots of a run that have room in the spool and are not with their targets yet: while there are any, room
/// comes back by itself.
final class InFlightReads: Sendable {
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }
    func began() { count.add(1, ordering: .acquiringAndReleasing) }
    func ended() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
