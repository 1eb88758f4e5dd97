import FilmgateCore
import FilmgateEngine

/// The clocks that were measured here, beside those that an account keeps.
struct ClockChoice {
    let clocks: MeasuredClocks
    /// The target that asks for the account, for people.
    let keeper: String
    /// Somebody measured or forgot one here this moment.
    let isNew: Bool
    let console: Console

    /// Brings both together.
    ///
    /// `last`: on what they agreed before, as `text`. Returns that as it is now, and what the account has to keep,
    /// where that is something else than it does.
    func follow(_ kept: Preference?, last: String) throws(IngestError) -> (text: String, toSend: Preference?) {
        let all = try clocks.entries(), here = Self.entries(Self.text(all))
        let there = Self.entries(kept?.value ?? "")
        // What says nothing that can be read is not written over: a later version may have written it.
        if there.isEmpty, let kept, !kept.value.isEmpty { return (last, nil) }
        let time = clocks.changed ?? 0, thereIsLater = !isNew && (kept?.changed ?? 0) > time
        let merged = Self.merged(here, there, base: kept == nil ? [] : Self.entries(last), thereIsLater: thereIsLater)
        if merged != here {
            let others = all.filter { one in one.offset.isUnusual && !merged.contains { $0.serial == one.serial } }
            try clocks.replace((merged + others).sorted { $0.serial < $1.serial })
            console.err(
                "\(keeper): your account knows clocks that were measured on another machine; they hold here too now.")
        }
        let text = Self.text(merged)
        guard merged != there else { return (text, nil) }
        let now = WallClock.nanoseconds / 1_000_000, before = kept?.changed ?? 0
        return (text, Preference(text, changed: before < .max ? max(now, before + 1) : now))
    }

    /// Body by body: what changed on one side since both were `base` counts, and of two changes the later one.
    static func merged(
        _ here: [MeasuredClocks.Entry], _ there: [MeasuredClocks.Entry], base: [MeasuredClocks.Entry],
        thereIsLater: Bool
    ) -> [MeasuredClocks.Entry] {
        func known(_ entries: [MeasuredClocks.Entry]) -> [String: MeasuredClocks.Entry] {
            Dictionary(entries.map { ($0.serial, $0) }) { first, _ in first }
        }
        let (own, other, before) = (known(here), known(there), known(base))
        return Set(own.keys).union(other.keys).sorted().compactMap { serial in
            if own[serial] == before[serial] { return other[serial] }
            if other[serial] == before[serial] { return own[serial] }
            return thereIsLater ? other[serial] : own[serial]
        }
    }

    /// A line for each body: serial, offset, note.
    ///
    /// One that somebody had to insist on stays where it was measured.
    static func text(_ entries: [MeasuredClocks.Entry]) -> String {
        let parts = entries.filter { !$0.offset.isUnusual }.map {
            [$0.serial, $0.offset.shown ?? "+00:00:00", $0.note]
        }
        let plain = parts.filter { !$0.contains { $0.contains { "\t\n".contains($0) } } }
        return plain.map { $0.joined(separator: "\t") }.sorted().joined(separator: "\n")
    }

    /// Lines that cannot be read count for nothing.
    static func entries(_ text: String) -> [MeasuredClocks.Entry] {
        let entries = text.split(separator: "\n").prefix(1000).compactMap { line -> MeasuredClocks.Entry? in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, !parts[0].isEmpty else { return nil }
            let node = ConfigNode(.scalar(parts[1], quoted: true))
            guard let offset = try? ClockOffset(node: node), !offset.isUnusual else { return nil }
            return MeasuredClocks.Entry(serial: parts[0], offset: offset, note: parts[2])
        }
        return entries.sorted { $0.serial < $1.serial }
    }
}
