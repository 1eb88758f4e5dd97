import FilmgateCore
import Glibc

/// What another station told of a card that is being taken, as a JSON Lines object `status` and as a sentence.
struct CardLine {
    let place: SourcePlace, word: CardAtStation
    /// How many of its files are asked about: all that some profile takes.
    let files: Int

    var json: String {
        var line = JSONWriter()
        line.add("type", "status")
        line.add("source", place.source)
        line.add("address", place.address)
        line.add("label", place.label)
        line.add("taken") { taken in
            taken.add("station", word.station)
            taken.add("at", CivilTime(unixSeconds: word.at / 1_000_000_000)?.description)
            taken.add("files", word.files)
            taken.add("of", files)
            for ending in Ending.allCases { taken.add(ending.rawValue, word.endings[ending, default: 0]) }
        }
        return line.finished
    }

    /// `now`: nanoseconds since 1970.
    func human(now: Int64 = WallClock.nanoseconds) -> String {
        let time = Self.time(word.at, now: now).map { " \($0)" } ?? ""
        return "\(place.source): \(Describe.name(place.label)) was taken at \(Describe.name(word.station))\(time): "
            + "\(word.files) of \(Describe.count(files, "file"))\(fate)"
    }

    /// How they ended there.
    private var fate: String {
        if word.delivered == word.files { return word.files == files ? ", all delivered" : ", these delivered" }
        let others = [Ending.pending, .setAside, .filtered].compactMap { ending in
            word.endings[ending].map { "\($0) \(ending.words)" }
        }
        return ": " + (["\(word.delivered) delivered"] + others).joined(separator: ", ")
    }

    /// By the clock here, with the day unless it is today's; nil for what is no time.
    private static func time(_ at: Int64, now: Int64) -> String? {
        guard at > 0, let then = local(at), let today = local(now) else { return nil }
        let clock = "at \(twoDigits(then.tm_hour)):\(twoDigits(then.tm_min))"
        if then.tm_year == today.tm_year, then.tm_yday == today.tm_yday { return clock }
        return "on \(then.tm_year + 1900)-\(twoDigits(then.tm_mon + 1))-\(twoDigits(then.tm_mday)) \(clock)"
    }

    private static func local(_ nanoseconds: Int64) -> tm? {
        var time = time_t(nanoseconds / 1_000_000_000), parts = tm()
        return localtime_r(&time, &parts) == nil ? nil : parts
    }

    private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
