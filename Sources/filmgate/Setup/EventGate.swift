import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import Foundation

/// The event that runs belong to: named on the command line, or chosen before with `filmgate events use`.
struct EventGate {
    let state: String

    private var path: String { state + "/event" }

    /// The chosen event; nil when none is.
    var chosen: String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data.prefix(1024), as: UTF8.self).trimmingCharacters(in: .newlines)
        return text.isEmpty ? nil : text
    }

    /// Remembers `event` for the runs to come; nil forgets it.
    func choose(_ event: String?) throws(IngestError) {
        try DurableFile.makeDirectories(state, mode: 0o700)
        let bytes = Array((event ?? "").utf8)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
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
