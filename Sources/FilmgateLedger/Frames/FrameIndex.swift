import FilmgateCore

/// All files of a ledger in one order, newest first: for lists that jump to any place, and for looking for a name.
///
/// A picture of one moment; it takes some hundred bytes a file.
public struct FrameIndex: Sendable {
    public let entries: [FrameEntry]
    let places: [Int64: KnownPlace], events: [String]
    /// The names, folded, each behind a newline: one search goes through all of them.
    private let names: [UInt8], starts: [Int32]

    public static let empty = FrameIndex([], places: [:], events: [])

    init(_ unsorted: [FrameEntry], places: [Int64: KnownPlace], events: [String]) {
        (self.places, self.events) = (places, events)
        entries = unsorted.sorted { ($0.since, $1.path) > ($1.since, $0.path) }
        var names: [UInt8] = [], starts: [Int32] = []
        starts.reserveCapacity(entries.count)
        for entry in entries {
            names.append(Self.newline)
            starts.append(Int32(clamping: names.count))
            let name = entry.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { entry.path.utf8[$0...].dropFirst() } ?? entry.path.utf8[...]
            names += Self.folded(String(Substring(name)))
        }
        names.append(Self.newline)
        (self.names, self.starts) = (names, starts)
    }

    public var count: Int { entries.count }
    /// When a file was last recorded, in nanoseconds since 1970; 0 where there is none.
    public var latest: Int64 { entries.reduce(0) { max($0, $1.at) } }
    public var knownPlaces: [KnownPlace] { places.values.filter { $0.files > 0 }.sorted { $0.last > $1.last } }

    /// The file with that number; nil when there is none.
    public func entry(numbered number: UInt64, _ key: SipKey) -> FrameEntry? { entries.first { $0.number(key) == number } }

    /// The places in `entries` of what fits, in order; nil when all of them do.
    ///
    /// `contents`: what the ledger found for the filter's text.
    public func positions(_ filter: FrameFilter, contents: Set<Int64>) -> [Int]? {
        guard filter != FrameFilter() else { return nil }
        let named = filter.text.isEmpty ? nil : Set(positions(named: filter.text))
        let event = filter.event.map { name in Int32(events.firstIndex(of: name) ?? -2) }
        return entries.indices.filter { position in
            let entry = entries[position]
            if filter.endings != nil || filter.isUnfinished {
                let fits = entry.ending.map { filter.endings?.contains($0) ?? false } ?? filter.isUnfinished
                if !fits { return false }
            }
            if let kinds = filter.kinds, !kinds.contains(entry.kind) { return false }
            if let run = filter.run, entry.run != run { return false }
            if let event, entry.event != event { return false }
            guard let named else { return true }
            return named.contains(position) || entry.content.map { contents.contains($0) } ?? false
        }
    }

    /// Those whose name holds `text`, whatever its case.
    private func positions(named text: String) -> [Int] {
        let wanted = Self.folded(text)
        guard let first = wanted.first else { return [] }
        var found: [Int] = [], position = 0
        names.withUnsafeBufferPointer { names in
            var at = 0
            while at + wanted.count <= names.count {
                guard names[at] == first, wanted.indices.allSatisfy({ names[at + $0] == wanted[$0] }) else {
                    at += 1
                    continue
                }
                while position + 1 < starts.count, Int(starts[position + 1]) <= at { position += 1 }
                found.append(position)
                // On to the next name.
                at = position + 1 < starts.count ? Int(starts[position + 1]) : names.count
            }
        }
        return found
    }

    private static let newline = UInt8(ascii: "\n")

    /// No name of a file is searched for by its line breaks.
    private static func folded(_ name: String) -> [UInt8] { Array(name.lowercased().utf8).map { $0 == newline ? UInt8(ascii: " ") : $0 } }
}
