import FilmgateCore
import Foundation
import Synchronization

/// What a run has done, counted from the hub's happenings, in Prometheus' text format.
final class Metrics: Sendable {
    private struct State {
        var endings: [Ending: Int] = [:]
        var deliveries: [String: Int] = [:], retries: [String: Int] = [:]
        var waiting: [String: Int] = [:], sending: [String: Int] = [:]
        var bytesRead: UInt64 = 0, bytesDelivered: UInt64 = 0
        var latency: [String: Histogram] = [:]
        var sources: [String: Bool] = [:]
    }
    struct Histogram: Sendable {
        static let bounds: [Double] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]
        var counts = [Int](repeating: 0, count: bounds.count + 1), sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }
    private let state = Mutex(State())

    @Sendable func note(_ happening: Happening) {
        state.withLock { state in
            switch happening {
            case .settled(let settled): Self.settle(settled, &state)
            case .read(let bytes): state.bytesRead += bytes
            case .queue(let target, let waiting, let sending): (state.waiting[target], state.sending[target]) = (waiting, sending)
            case .retrying(let target, _, _, _): state.retries[target, default: 0] += 1
            case .source(let place, let change):
                let name = "\(place.source) \(place.label)"
                switch change {
                case .open, .back: state.sources[name] = true
                case .lost: state.sources[name] = false
                case .finished: state.sources[name] = nil
                }
            default: break
            }
        }
    }

    private static func settle(_ settled: Settled, _ state: inout State) {
        state.endings[settled.ending, default: 0] += 1
        if settled.ending == .delivered { state.bytesDelivered += settled.asset.origin.size }
        let age = Date().timeIntervalSince1970 - Double(settled.asset.origin.modified) / 1e9
        for (target, receipt) in settled.asset.receipts where receipt.state == .done && !receipt.existed {
            state.deliveries[target, default: 0] += 1
            // What is older was not shot just now, or its camera's clock is wrong.
            if settled.ending == .delivered, (0...3600).contains(age) { state.latency[target, default: Histogram()].add(age) }
        }
    }

    /// The exposition format, version 0.0.4.
    var text: String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        family(
            "filmgate_assets_total", "counter", "Assets by ending.", &lines,
            Ending.allCases.map { ([("ending", $0.rawValue)], state.endings[$0] ?? 0) })
        family(
            "filmgate_deliveries_total", "counter", "Deliveries done, by target.", &lines, state.deliveries.map { ([("target", $0)], $1) })
        family(
            "filmgate_retries_total", "counter", "Deliveries tried again, by target.", &lines, state.retries.map { ([("target", $0)], $1) })
        family("filmgate_queue_waiting", "gauge", "Deliveries that wait, by target.", &lines, state.waiting.map { ([("target", $0)], $1) })
        family("filmgate_queue_sending", "gauge", "Deliveries being sent, by target.", &lines, state.sending.map { ([("target", $0)], $1) })
        family("filmgate_read_bytes_total", "counter", "Bytes read from sources.", &lines, [([], Int(clamping: state.bytesRead))])
        family(
            "filmgate_delivered_bytes_total", "counter", "Bytes of delivered assets.", &lines, [([], Int(clamping: state.bytesDelivered))])
        family(
            "filmgate_source_up", "gauge", "1 while a source is within reach.", &lines, state.sources.map { ([("source", $0)], $1 ? 1 : 0) }
        )
        histograms(state.latency, &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private func family(_ name: String, _ kind: String, _ help: String, _ lines: inout [String], _ values: [([(String, String)], Int)]) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
        lines += values.map { "\(name)\(Self.labels($0)) \($1)" }.sorted()
    }

    private func histograms(_ latency: [String: Histogram], _ lines: inout [String]) {
        let name = "filmgate_shutter_to_delivered_seconds"
        lines += ["# HELP \(name) From a file's own time to its last receipt, by target.", "# TYPE \(name) histogram"]
        for (target, histogram) in latency.sorted(by: { $0.key < $1.key }) {
            var sum = 0
            for (index, count) in histogram.counts.enumerated() {
                sum += count
                let bound = index < Histogram.bounds.count ? "\(Histogram.bounds[index])" : "+Inf"
                lines.append("\(name)_bucket\(Self.labels([("target", target), ("le", bound)])) \(sum)")
            }
            lines.append("\(name)_sum\(Self.labels([("target", target)])) \(histogram.sum)")
            lines.append("\(name)_count\(Self.labels([("target", target)])) \(sum)")
        }
    }

    private static func labels(_ pairs: [(String, String)]) -> String {
        if pairs.isEmpty { return "" }
        let texts = pairs.map { name, value in
            let safe = value.unicodeScalars.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0.value < 0x20 ? " " : String($0) }.joined()
            return "\(name)=\"\(safe)\""
        }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
