import FilmgateCore
import FilmgateLedger

extension StationPlace {
    /// How much of what happened here the catalogue knows, for people.
    var told: String { waiting == 0 ? "all told" : "\(Describe.count(Int(waiting), "change")) to tell" }
}

/// The JSON objects of the catalogue's verbs.
enum CatalogLine {
    static func condition(_ found: CatalogCondition, _ place: String) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "catalog")
        line.add("place", place)
        line.add("server", found.server)
        line.add("version", found.version)
        line.add("protection", found.protection)
        line.add("role", found.role)
        line.add("excess", found.excess)
        line.add("identity", found.identity)
        line.add("schema", found.schema)
        line.add("timeline", found.timeline.map { Int($0) })
        line.add("round_trip_ms", number: found.roundTrip)
        line.add("clock_ahead_ms", number: found.clockAhead)
        line.add("usable", found.common != nil)
        return line
    }

    static func station(_ place: StationPlace, _ catalog: String) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "membership")
        line.add("station", place.membership.name)
        line.add("catalog", catalog)
        line.add("epoch", place.membership.epoch)
        line.add("told", Int(place.acknowledged))
        line.add("waiting", Int(place.waiting))
        return line
    }

    /// The same, with what waits here for the catalogue, and what a run says of it.
    static func station(_ standing: OwnStanding, _ catalog: String) -> JSONWriter {
        var line = station(standing.place, catalog)
        line.add("held", standing.held)
        line.add("up", standing.run?.isUp)
        line.add("since", CatalogUptime.time(standing.run?.since))
        line.add("claims", standing.run?.claims)
        line.add("trouble", standing.run?.trouble)
        return line
    }

    static func seed(_ place: StationPlace, _ holdings: StationHoldings, _ catalog: String) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "seed")
        line.add("station", place.membership.name)
        line.add("catalog", catalog)
        line.add("files", Int(holdings.files))
        line.add("copies", Int(holdings.copies))
        line.add("waiting", Int(place.waiting))
        return line
    }

    static func summary(_ station: StationSummary) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "station")
        line.add("name", station.name)
        line.add("site", station.site)
        line.add("version", station.version)
        line.add("present", station.present)
        line.add("silence_s", number: station.silence)
        line.add("clock_ahead_ms", station.clockAhead)
        line.add("told", Int(station.applied))
        line.add("revoked", station.revoked)
        let status = station.status.flatMap { StationStatus(json: $0) }
        line.add("untold", status.map { Int($0.untold) })
        line.add("deliveries", status.map { Int($0.waiting) })
        line.add("cards", objects: status?.cards.map(\.object) ?? [])
        line.add("targets", objects: status?.targets.map(\.object) ?? [])
        line.add("sources", status?.sources ?? [])
        return line
    }

    static func sizes(_ sizes: [CatalogSize]) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "sizes")
        line.add("bytes", sizes.reduce(0) { $0 &+ $1.bytes })
        line.add(
            "tables",
            objects: sizes.map { size in
                var object = JSONWriter()
                object.add("name", size.table)
                object.add("bytes", size.bytes)
                object.add("rows", Int(size.rows))
                return object
            })
        return line
    }

    static func place(_ copy: CatalogCopy, _ media: MediaFacts? = nil) -> JSONWriter {
        var line = JSONWriter()
        line.add("type", "place")
        line.add("sha256", copy.sha256)
        line.add("station", copy.station)
        line.add("state", copy.state.rawValue)
        line.add("place", copy.place)
        line.add("detail", copy.detail)
        line.add("verified", copy.proof)
        line.add("size", copy.size.map { Int(clamping: $0) })
        line.add("at", CivilTime(unixSeconds: copy.at / 1_000_000_000)?.description)
        line.add("make", media?.make)
        line.add("model", media?.model)
        line.add("serial", media?.serial)
        line.add("captured", media?.captured?.description)
        return line
    }
}
