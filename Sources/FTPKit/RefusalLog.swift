/// Says what was refused, once a minute for each address: whoever connects a thousand times a second must not fill the
/// log.
struct RefusalLog: Sendable {
    private struct Entry: Sendable { var since: ContinuousClock.Instant, kept = 0 }
    private static let most = 256, period = Duration.seconds(60)
    private var entries: [String: Entry] = [:]

    /// The line to be written, or nil; `network` as `PeerAddress.network` gives it.
    mutating func line(_ what: String, from network: String, at now: ContinuousClock.Instant) -> String? {
        if entries.count >= Self.most, entries[network] == nil {
            entries = entries.filter { $0.value.since + Self.period > now }
        }
        // More addresses than anybody could read of share a line.
        let key = entries.count < Self.most || entries[network] != nil ? network : "many"
        if let entry = entries[key], entry.since + Self.period > now {
            entries[key]?.kept += 1
            return nil
        }
        let kept = entries.updateValue(Entry(since: now), forKey: key)?.kept ?? 0
        let who = key == network ? "of that address" : "of many addresses"
        return kept == 0 ? what : "\(what) (and \(kept) more refusals \(who) since the last line)"
    }
}
