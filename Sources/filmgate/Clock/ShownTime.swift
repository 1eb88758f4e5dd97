import FilmgateCore
import FilmgateEngine

/// What a clock in a picture shows: `2026-11-21 14:03:27`, or `14:03:27` and `14:03` on the day that fits best.
struct ShownTime: Equatable {
    private let day: (year: Int, month: Int, day: Int)?
    private let second: Int64

    static func == (a: Self, b: Self) -> Bool {
        a.second == b.second && a.day.map { [$0, $1, $2] } == b.day.map { [$0, $1, $2] }
    }

    init?(_ text: String) {
        let halves = text.split(maxSplits: 1) { $0 == " " || $0 == "T" }
        guard let last = halves.last, let clock = Self.numbers(last, ":"), (2...3).contains(clock.count), clock[0] < 24,
            clock[1] < 60,
            clock.count < 3 || clock[2] < 60
        else { return nil }
        second = Int64(clock[0] * 3600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0))
        guard halves.count == 2 else {
            day = nil
            return
        }
        guard let date = Self.numbers(halves[0], "-"), date.count == 3,
            CivilTime(year: date[0], month: date[1], day: date[2]) != nil
        else {
            return nil
        }
        day = (date[0], date[1], date[2])
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
        return numbers.count == parts.count && parts.count <= 3 ? numbers : nil
    }

    /// The part that is probably mistyped when the offset is far too large: with the camera's own in its place, it
    /// would not be.
    func suspect(beside camera: CivilTime) -> String? {
        guard let day else { return nil }
        let parts = [
            ("year", (camera.year, day.month, day.day)), ("month", (day.year, camera.month, day.day)),
            ("day", (day.year, day.month, camera.day)),
        ]
        return parts.first { _, day in
            guard let time = CivilTime(year: day.0, month: day.1, day: day.2) else { return false }
            return (time.civilSeconds + second - camera.civilSeconds).magnitude <= UInt64(ClockOffset.usual)
        }?.0
    }

    /// Seconds to add to the camera's time; without a day, the shortest way.
    func offset(from camera: CivilTime) -> Int64 {
        if let day, let time = CivilTime(year: day.year, month: day.month, day: day.day) {
            return time.civilSeconds + second - camera.civilSeconds
        }
        let midnight = camera.civilSeconds - Int64(camera.hour * 3600 + camera.minute * 60 + camera.second)
        let difference = midnight + second - camera.civilSeconds
        return difference > 43_200 ? difference - 86_400 : difference < -43_200 ? difference + 86_400 : difference
    }
}
