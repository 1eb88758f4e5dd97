import FileKit
import FilmgateCore
import FilmgateEngine
import Foundation

/// The metrics in Prometheus' text format.
struct MetricsText {
    let state: Metrics.State
    /// What the ledger says of every target, those of earlier runs too.
    let totals: [LedgerTotals.Target]
    /// How this station stands with its catalogue; nil without one.
    let station: Station?
    struct Station {
        var reading: CatalogGauges.Reading
        /// Changes that were not told yet; nil where nobody could tell.
        var behind: Int64?
    }
    /// Seconds since 1970.
    var now = Date().timeIntervalSince1970
    private typealias Values = [([(String, String)], Int)]

    init(state: Metrics.State, totals: [LedgerTotals.Target], station: Station? = nil) {
        (self.state, self.totals, self.station) = (state, totals, station)
    }

    var text: String {
        var lines: [String] = []
        counters(&lines)
        queues(&lines)
        family(
            "filmgate_source_up", "gauge", "1 while a source is within reach.", &lines,
            state.sources.map { ([("source", $0)], $1 ? 1 : 0) }
        )
        family(
            "filmgate_refused_total", "counter",
            "Refused at a listening source, by reason: password, path, tls, elsewhere.", &lines,
            state.refused.flatMap { source, counts in counts.map { ([("source", source), ("what", $0)], $1) } })
        family("filmgate_disk_free_bytes", "gauge", "Free room where folder targets and the spool lie.", &lines, disks)
        if let station { catalog(station, &lines) }
        histograms(&lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private func counters(_ lines: inout [String]) {
        family(
            "filmgate_assets_total", "counter", "Assets by ending.", &lines,
            Ending.allCases.map { ([("ending", $0.rawValue)], state.endings[$0] ?? 0) })
        family(
            "filmgate_deliveries_total", "counter", "Deliveries done, by target.", &lines, byTarget(state.deliveries))
        family(
            "filmgate_retries_total", "counter", "Deliveries tried again, by target.", &lines, byTarget(state.retries))
        family(
            "filmgate_read_bytes_total", "counter", "Bytes read from sources.", &lines,
            [([], Int(clamping: state.bytesRead))])
        family(
            "filmgate_delivered_bytes_total", "counter", "Bytes delivered, by target.", &lines,
            byTarget(state.bytesDelivered.mapValues { Int(clamping: $0) }))
    }

    private func queues(_ lines: inout [String]) {
        family("filmgate_queue_waiting", "gauge", "Deliveries that wait, by target.", &lines, byTarget(state.waiting))
        family("filmgate_queue_sending", "gauge", "Deliveries being sent, by target.", &lines, byTarget(state.sending))
        var bytes: [String: Int] = [:], ages: [String: Int] = [:]
        for name in state.waiting.keys {
            (bytes[name], ages[name]) = (0, state.since[name].map { max(0, Int(now - $0)) } ?? 0)
        }
        // A target is several to the ledger where it has had several events.
        for one in totals where bytes[one.name] != nil || one.bytesWaiting > 0 {
            bytes[one.name, default: 0] += Int(clamping: one.bytesWaiting)
            if let oldest = one.oldestWaiting {
                ages[one.name] = max(ages[one.name] ?? 0, Int(now - Double(oldest) / 1e9))
            }
        }
        family("filmgate_queue_bytes", "gauge", "Bytes that wait, by target.", &lines, byTarget(bytes))
        family(
            "filmgate_queue_oldest_seconds", "gauge", "How long the oldest delivery has waited, by target.", &lines,
            byTarget(ages))
        let names = Set(state.waiting.keys).union(state.held)
        family(
            "filmgate_target_held", "gauge", "1 while a target is held: refused, full, or not to be trusted.", &lines,
            names.map { ([("target", $0)], state.held.contains($0) ? 1 : 0) })
    }

    private func catalog(_ station: Station, _ lines: inout [String]) {
        func gauge(_ name: String, _ help: String, _ value: Int?) {
            family("filmgate_catalog_\(name)", "gauge", help, &lines, value.map { [([], $0)] } ?? [])
        }
        let reading = station.reading
        gauge("up", "1 while the catalogue answers and takes what this station tells.", reading.isUp.map { $0 ? 1 : 0 })
        gauge("behind", "Changes that the catalogue was not told yet.", station.behind.map { Int($0) })
        gauge("claims", "Claims of this station: what it is sending, and what it will try again.", reading.claims)
        let age = reading.reported.map { Int((ContinuousClock.now - $0).components.seconds) }
        gauge("report_seconds", "Seconds since the catalogue took a report of this station.", age)
        gauge(
            "timeline", "The server's history: it grows with each failover.", reading.timeline.map { Int(clamping: $0) }
        )
        let clock = "filmgate_catalog_clock_seconds"
        lines += [
            "# HELP \(clock) By how much this machine's clock was ahead of the server's when the session began.",
            "# TYPE \(clock) gauge",
        ]
        if let ahead = reading.clockAhead { lines.append("\(clock) \(Double(ahead) / 1000)") }
        claims(reading, &lines)
    }

    private func claims(_ reading: CatalogGauges.Reading, _ lines: inout [String]) {
        family(
            "filmgate_catalog_claims_total", "counter", "Claims that the catalogue answered, by its answer.", &lines,
            reading.answers.map { ([("result", $0)], $1) })
        let name = "filmgate_catalog_lookup_seconds"
        lines += [
            "# HELP \(name) How long the catalogue takes to answer a question for claims.", "# TYPE \(name) summary",
            "\(name)_sum \(reading.lookupSeconds)", "\(name)_count \(reading.lookups)",
        ]
    }

    private var disks: Values {
        state.places.compactMap { name, path in
            let free = Result { () throws(IngestError) in try FileSystem.freeBytes(path) }
            return (try? free.get()).map { ([("place", name)], Int(clamping: $0)) }
        }
    }

    private func byTarget(_ counts: [String: Int]) -> Values { counts.map { ([("target", $0)], $1) } }

    private func family(_ name: String, _ kind: String, _ help: String, _ lines: inout [String], _ values: Values) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
        lines += values.map { "\(name)\(Self.labels($0)) \($1)" }.sorted()
    }

    private func histograms(_ lines: inout [String]) {
        let name = "filmgate_shutter_to_delivered_seconds"
        lines += ["# HELP \(name) From a file's own time to its receipt, by target.", "# TYPE \(name) histogram"]
        for (target, histogram) in state.latency.sorted(by: { $0.key < $1.key }) {
            var sum = 0
            for (index, count) in histogram.counts.enumerated() {
                sum += count
                let bound = index < Metrics.Histogram.bounds.count ? "\(Metrics.Histogram.bounds[index])" : "+Inf"
                lines.append("\(name)_bucket\(Self.labels([("target", target), ("le", bound)])) \(sum)")
            }
            lines.append("\(name)_sum\(Self.labels([("target", target)])) \(histogram.sum)")
            lines.append("\(name)_count\(Self.labels([("target", target)])) \(sum)")
        }
    }

    private static func labels(_ pairs: [(String, String)]) -> String {
        if pairs.isEmpty { return "" }
        let texts = pairs.map { name, value in
            let safe = value.unicodeScalars.map {
                $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0.value < 0x20 ? " " : String($0)
            }.joined()
            return "\(name)=\"\(safe)\""
        }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
