import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import Foundation

/// The event that runs belong to: named on the command line, or chosen before with `filmgate events use`.
///
/// A run keeps the one that it began with, whatever is chosen meanwhile.
struct EventGate {
    let state: String

    private var path: String { state + "/event" }

    /// First the event, then a line for each gallery that has an id for it.
    private var lines: [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data.prefix(65_536), as: UTF8.self).components(separatedBy: "\n")
    }

    /// The chosen event; nil when none is.
    var chosen: String? { lines.first.flatMap { $0.isEmpty ? nil : String($0.prefix(1024)) } }

    /// What galleries call the chosen event.
    var chosenIDs: [String: String] {
        let pairs = lines.dropFirst().map { $0.components(separatedBy: "\t") }.filter { $0.count == 2 }
        return Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 }
    }

    /// Remembers `event` for the runs to come; nil forgets it.
    func choose(_ event: String?, ids: [String: String] = [:]) throws(IngestError) {
        try DurableFile.makeDirectories(state, mode: 0o700)
        let named = ids.filter { !$0.key.contains { "\t\n".contains($0) } && !$0.value.contains { "\t\n".contains($0) } }
        let text = ([event ?? ""] + named.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)" }).joined(separator: "\n")
        let bytes = Array(text.utf8)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
    }

    /// After a sign-out: an event that was chosen from one of these galleries is chosen no more.
    func forget(galleries: Set<String>) throws(IngestError) {
        if !galleries.isDisjoint(with: chosenIDs.keys) { try choose(nil) }
    }

    /// The event of a run that was asked for `named`; ends with a usage error where the pipeline cannot do without one.
    func event(_ named: String?, for rule: EventRule) throws -> String? {
        if let event = named ?? chosen { return try Self.checked(event) }
        if rule.required, !rule.hold {
            throw ValidationError("This pipeline needs an event: give it with --event NAME, or choose one with `filmgate events use NAME`.")
        }
        return nil
    }

    /// An event's name is one line that says something.
    static func checked(_ name: String) throws -> String {
        let plain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard plain, name.utf8.count <= 1000, name.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("An event's name is one line of at most 1000 bytes.")
        }
        return name
    }
}
