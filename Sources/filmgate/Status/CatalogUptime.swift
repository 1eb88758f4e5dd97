import FilmgateCore
import FilmgateEngine

/// How the catalogue answers a run.
struct CatalogUptime: Sendable, Equatable {
    /// Nil before it was first asked.
    var isUp: Bool?
    /// Since when that is so: nanoseconds since 1970.
    var since: Int64?
    /// Claims of this station.
    var claims = 0
    /// Why it does not answer.
    var trouble: String?

    init(_ reading: CatalogGauges.Reading) {
        (isUp, since, claims, trouble) = (reading.isUp, reading.since, reading.claims, reading.trouble)
    }

    /// Reads what `object` writes; nil for anything else.
    init?(_ value: JSONValue) {
        guard value.members != nil, let claims = value["claims"]?.whole else { return nil }
        (isUp, since, trouble) = (value["up"]?.flag, value["since"]?.whole, value["trouble"]?.string)
        self.claims = Int(clamping: claims)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.add("up", isUp)
        object.add("since", since.map { Int($0) })
        object.add("claims", claims)
        object.add("trouble", trouble)
        return object
    }

    static func time(_ nanoseconds: Int64?) -> String? {
        nanoseconds.flatMap { CivilTime(unixSeconds: $0 / 1_000_000_000)?.description }
    }
}
