/// Says what was refused, for each address up to three different things a minute, each once: whoever connects a thousand
/// times a second must not fill the log, nor hide another fault behind the first.
struct RefusalLog: Sendable {
    private struct Entry: Sendable { var since: ContinuousClock.Instant, said: Set<String>, kept = 0 }
    private static let most = 256, different = 3, period = Duration.seconds(60)
    private var entries: [String: Entry] = [:]

    /// The line to be written, or nil; `network` as `PeerAddress.network` gives it.
    ///
    /// Of one `kind` one is said.
    mutating func line(_ what: String, kind: String, from network: String, at now: ContinuousClock.Instant) -> String? {
        if entries.count >= Self.most, entries[network] == nil {
            entries = entries.filter { $0.value.since + Self.period > now }
        }
        // More addresses than anybody could read of share a line.
        let key = entries.count < Self.most || entries[network] != nil ? network : "many"
        if let entry = entries[key], entry.since + Self.period > now {
            if key == network, entry.said.count < Self.different, !entry.said.contains(kind) {
                entries[key]?.said.insert(kind)
                return what
            }
            entries[key]?.kept += 1
            return nil
        }
        let kept = entries.updateValue(Entry(since: now, said: [kind]), forKey: key)?.kept ?? 0
        let who = key == network ? "of that address" : "of many addresses"
        return kept == 0 ? what : "\(what) (and \(kept) more refusals \(who) since the last line)"
    }
}
