public import FilmgateCore

/// When the clocks of a time zone stood how far from UTC, past and future.
public struct ZoneRules: Sendable, Hashable {
    /// How sure the offset of a civil time is.
    public enum Certainty: Sendable, Hashable {
        case exact
        /// The clocks were set back over this hour, so it came twice; the first pass is given.
        case twice
        /// The clocks were set forward over this hour, so it never came; the offset before the change is given.
        case never
    }
    public let name: String
    /// Seconds since 1970, ascending, each with the offset that holds from then on.
    let changes: [Int64], offsets: [Int]
    /// Before the first change.
    let initial: Int
    /// After the last change.
    let future: PosixZone?

    init(name: String, fixed: Int) { self.init(name: name, changes: [], offsets: [], initial: fixed, future: nil) }

    init(name: String, changes: [Int64], offsets: [Int], initial: Int, future: PosixZone?) {
        (self.name, self.changes, self.offsets, self.initial, self.future) = (name, changes, offsets, initial, future)
    }

    /// Seconds east of UTC at an instant.
    public func offset(at unixSeconds: Int64) -> Int {
        var low = 0, high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= unixSeconds { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let future { return future.offset(at: unixSeconds) }
        return low == 0 ? initial : offsets[low - 1]
    }

    /// The civil time at an instant (what QuickTime's UTC times need).
    ///
    /// Nil outside years 1…9999.
    public func civilTime(at unixSeconds: Int64, nanosecond: Int? = nil) -> CivilTime? {
        CivilTime(unixSeconds: unixSeconds, offsetMinutes: minutes(offset(at: unixSeconds)), nanosecond: nanosecond)
    }

    /// Minutes east of UTC when a clock in this zone showed `civil` (whose own offset is ignored).
    public func offsetMinutes(of civil: CivilTime) -> (minutes: Int, certainty: Certainty) {
        let shown = civil.civilSeconds
        let before = offset(at: shown - 93_600), after = offset(at: shown + 93_600)
        // The larger offset is the earlier instant: the first pass of an hour that comes twice.
        let fitting = Set([before, after]).filter { offset(at: shown - Int64($0)) == $0 }.sorted(by: >)
        switch fitting.count {
        case 0: return (minutes(before), .never)
        case 1: return (minutes(fitting[0]), .exact)
        default: return (minutes(fitting[0]), .twice)
        }
    }

    /// Offsets before standard time have odd seconds; civil times keep minutes.
    private func minutes(_ seconds: Int) -> Int { Int((Double(seconds) / 60).rounded()) }
}
