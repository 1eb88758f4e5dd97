/// When a file of a listing may count as one that was taken before, without a look at its bytes: the one rule for
/// cards, dumps, cameras, hot folders, FTP and modules of one's own.
///
/// Every fact that the source gives must be equal: volume, path, size, modification time, birth time, inode, status
/// change, and the medium (``MediumIdentity``). Equal facts are proof only where one of them belongs to this file alone:
///
/// 1. **status**: an inode and a status change, which no program can set: file systems of this machine, network shares;
/// 2. **date**: a modification time, and a birth time where there is one, by a clock that was set: cards, cameras,
///    modules;
/// 3. **nothing**: no date, one that cannot be read, or the epoch of a clock that was never set.
///
/// With nothing the file is read, and only SHA-256 says what it is. So are all files of a device that nothing tells
/// from others of its kind (``SessionTraits/identifiesDevice``). What is asked for too often costs a second reading;
/// what is believed too easily costs a picture.
public enum Evidence: Sendable, Hashable, Comparable {
    case nothing, date, status

    /// What stands for the bytes of a file with these facts, as long as its place, size and times stay equal.
    public init(_ facts: Fingerprint) { self.init(facts, zone: MachineZone.offset(at:)) }

    /// `zone` says by how many seconds this machine's clock is ahead of UTC at an instant.
    init(_ facts: Fingerprint, zone: (Int64) -> Int64) {
        // Cameras, which tell their own time, have their medium there.
        let isOnCard = facts.inode == 0
        func isDate(_ time: Int64) -> Bool { Self.isDate(time) && (!isOnCard || Self.isDate(time, inZone: zone)) }
        if facts.changed != 0, facts.inode != 0 {
            self = .status
        } else {
            self = isDate(facts.modified) && (facts.born == 0 || isDate(facts.born)) ? .date : .nothing
        }
    }

    /// True when `facts` can only be those of the file that was `remembered`.
    ///
    /// With `hourShift` also when its times moved by the same whole hours, a day at most, as a FAT card's do when the
    /// computer's zone changes: birth and modification together, or, where there are status changes, the modification
    /// alone while that stayed.
    public static func proves(_ facts: Fingerprint, isSameAs remembered: Fingerprint, hourShift: Bool = false) -> Bool {
        let level = Evidence(facts)
        guard level > .nothing, facts.size == remembered.size, facts.path.isSpelled(as: remembered.path) else {
            return false
        }
        guard facts.changed == remembered.changed else { return false }
        // An inode without a status change is the identity of a medium.
        let isPlace =
            facts.changed == 0
            ? MediumIdentity(facts.inode).isSame(as: MediumIdentity(remembered.inode)) : facts.inode == remembered.inode
        guard isPlace else { return false }
        let born = facts.born.subtractingReportingOverflow(remembered.born)
        let modified = facts.modified.subtractingReportingOverflow(remembered.modified)
        guard !born.overflow, !modified.overflow else { return false }
        if modified.partialValue == 0, born.partialValue == 0 { return true }
        return hourShift && isZoneChange(modified.partialValue)
            && agrees(born.partialValue, with: modified.partialValue, facts, level)
    }

    /// Whether what nobody sets moved as the modification time did.
    private static func agrees(_ born: Int64, with modified: Int64, _ facts: Fingerprint, _ level: Evidence) -> Bool {
        level == .status ? born == 0 : facts.born != 0 && born == modified
    }

    private static func isZoneChange(_ nanoseconds: Int64) -> Bool {
        let hour: Int64 = 3_600_000_000_000
        return nanoseconds % hour == 0 && nanoseconds.magnitude <= 24 * hour.magnitude
    }

    /// False for a time (nanoseconds since 1970) that says nothing: none at all, or what a clock shows that was never
    /// set.
    ///
    /// Such are all before 2 January 1981 (clocks begin in 1904, 1970 or 1980), the days around the beginning of 2000,
    /// and 1 January of any year, where makes let their clocks begin anew: a body whose battery is dead does so each
    /// time that it gets power, and its second frame is a minute old.
    ///
    /// Of cards it is 1 January also by this machine's zone.
    ///
    /// For a month 1 January counts all the same, by this machine's clock (`now`): then it is New Year, which a body
    /// that was made before does not begin with, and a camera that comes back that night need not tell all of it anew.
    public static func isDate(
        _ nanoseconds: Int64, now: @autoclosure () -> Int64 = WallClock.nanoseconds
    ) -> Bool {
        let seconds = nanoseconds / 1_000_000_000, day: Int64 = 86_400
        guard seconds >= 347_241_600, let time = CivilTime(unixSeconds: seconds) else { return false }
        let millennium: Int64 = 946_684_800
        if seconds >= millennium - day, seconds < millennium + 2 * day { return false }
        guard time.month == 1, time.day == 1 else { return true }
        // Cameras tell their own zone's time.
        return (-day...31 * day).contains(now() / 1_000_000_000 - seconds)
    }

    /// The same of what the camera's clock showed, where the system told it as UTC.
    ///
    /// Cards hold local times. The kernel takes them for those of the zone that it was told, most often when the machine
    /// was started: with summer time or without, whichever was then.
    private static func isDate(_ nanoseconds: Int64, inZone zone: (Int64) -> Int64) -> Bool {
        let seconds = nanoseconds / 1_000_000_000
        guard let time = CivilTime(unixSeconds: seconds) else { return false }
        // No zone makes another day 1 January.
        guard (time.month, time.day) == (12, 31) || (time.month == 1 && time.day <= 2) else { return true }
        return [seconds, WallClock.nanoseconds / 1_000_000_000].allSatisfy {
            isDate(nanoseconds + zone($0) * 1_000_000_000)
        }
    }
}

extension Origin {
    /// What stands for its bytes while nobody looks at them.
    public var evidence: Evidence { Evidence(fingerprint) }
}

/// Tells a camera's medium, and the body that it is in, from others that show the same paths: what ``Origin/inode``
/// holds for cameras.
///
/// 32 bits for the labels of the store and 32 for the body's GUID; 0 where there is none.
public struct MediumIdentity: Sendable, Hashable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    /// `guid` is empty where the way to the body tells none, as USB.
    public init(labels: [String], guid: [UInt8]) {
        let isNamed = labels.contains { !$0.isEmpty }
        let name: UInt64 = isNamed ? Self.hash(labels.flatMap { Array($0.utf8) + [0] }) : 0
        number = name << 32 | (guid.isEmpty ? 0 : Self.hash(guid))
    }

    private var labels: UInt64 { number >> 32 }
    private var body: UInt64 { number & 0xFFFF_FFFF }

    /// The labels must be equal, also where there are none; the GUID only where both ways tell one: a body is the same
    /// over USB and Wi-Fi.
    public func isSame(as other: MediumIdentity) -> Bool {
        labels == other.labels && (body == other.body || body == 0 || other.body == 0)
    }

    /// FNV-1a, folded to 32 bits, never 0.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        let value = FNV1a.hash(bytes)
        return max(1, (value ^ value >> 32) & 0xFFFF_FFFF)
    }
}
