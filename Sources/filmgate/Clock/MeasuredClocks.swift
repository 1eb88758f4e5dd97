import FileKit
import FilmgateConfig
import FilmgateCore
import FilmgateEngine

/// The clocks that were measured, one per body: a file of profiles in the state directory, which every pipeline reads
/// after its own.
struct MeasuredClocks {
    struct Entry: Equatable {
        var serial: String, offset: ClockOffset
        /// Where it comes from, for people.
        var note: String
    }
    let path: String

    init(state: String) { path = state + "/clocks.yaml" }

    /// What is written down; empty where nothing is.
    func entries() throws(IngestError) -> [Entry] {
        guard try FileFacts.of(path) != nil else { return [] }
        let root: ConfigNode
        do throws(ConfigError) { root = try YAMLReader().read(path: path) } catch {
            throw IngestError(
                .misconfigured, "\(path) cannot be read: \(error.message)", advice: "Correct it or remove it.")
        }
        guard case .list(let items)? = root["profiles"]?.value else { return [] }
        return items.compactMap { item in
            guard case .scalar(let pattern, _)? = item["match"]?["serial"]?.value, let node = item["clock_offset"],
                let offset = try? ClockOffset(node: node)
            else { return nil }
            return Entry(
                serial: Self.plain(pattern), offset: offset, note: (try? item["match"]?["model"]?.text()) ?? "")
        }
    }

    /// Writes `entry` down in place of what was known of that body; nil takes it out.
    func set(_ serial: String, _ entry: Entry?) throws(IngestError) {
        var all = try entries().filter { $0.serial != serial }
        if let entry { all.append(entry) }
        try write(all.sorted { $0.serial < $1.serial })
    }

    /// When it was written last, in milliseconds since 1970; nil where there is none.
    var changed: Int64? { ChoiceTime.of(path) }

    /// In place of all that was known.
    func replace(_ entries: [Entry]) throws(IngestError) {
        try DurableFile.makeDirectories(Paths.folder(path), mode: 0o700)
        try write(entries)
    }

    private func write(_ entries: [Entry]) throws(IngestError) {
        var text =
            "# Clocks that `filmgate clock` measured. A serial's own profile in a pipeline wins over these.\nversion: 1\nprofiles:"
        text += entries.isEmpty ? " []\n" : "\n"
        for entry in entries { text += Self.profile(entry, indent: "  ") }
        try DurableFile.atomicWrite(Array(text.utf8).span.bytes, to: path, mode: 0o600)
    }

    /// As it stands in a pipeline.
    static func profile(_ entry: Entry, indent: String) -> String {
        var match = "serial: \(quoted(pattern(entry.serial)))"
        if !entry.note.isEmpty { match = "model: \(quoted(pattern(entry.note))), " + match }
        return "\(indent)- match: { \(match) }\n\(indent)  clock_offset: \"\(entry.offset.shown ?? "+00:00:00")\"\n"
    }

    /// A serial number as a pattern that matches nothing else.
    private static func pattern(_ text: String) -> String {
        String(text.flatMap { "*?[".contains($0) ? Array("[\($0)]") : [$0] })
    }

    private static func plain(_ pattern: String) -> String {
        ["*", "?", "["].reduce(pattern) { $0.replacing("[\($1)]", with: $1) }
    }

    private static func quoted(_ text: String) -> String {
        let safe = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
        return "\"" + safe.joined() + "\""
    }
}
