import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import Foundation

/// The event that runs belong to: named on the command line, or chosen before with `filmgate events use`.
///
/// A run keeps the one that it began with, whatever is chosen meanwhile.
struct ChosenEvent {
    let state: String

    var path: String { state + "/event" }

    /// First the event, then a line for each gallery that has an id for it.
    private var lines: [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data.prefix(65_536), as: UTF8.self).components(separatedBy: "\n")
    }

    /// The chosen event; nil when none is.
    var chosen: String? { lines.first.flatMap { $0.isEmpty ? nil : String($0.prefix(1024)) } }

    /// What an account at a gallery calls the chosen event.
    struct ChosenID: Hashable {
        var place: EventPlace, account: String, id: String

        fileprivate var line: [String] { [place.gallery, account, id] + place.signIns }
    }

    /// What galleries call the chosen event.
    ///
    /// A line that does not say whose event it is counts for none.
    var chosenIDs: [ChosenID] {
        lines.dropFirst().map { $0.components(separatedBy: "\t") }.filter { $0.count >= 3 }.map { parts in
            ChosenID(place: EventPlace(gallery: parts[0], signIns: Array(parts[3...])), account: parts[1], id: parts[2])
        }
    }

    /// When it was chosen here, or by the account whose choice it is, in milliseconds since 1970.
    ///
    /// Nil where nobody chose anything.
    var chosenAt: Int64? { ChoiceTime.of(path) }

    /// Remembers `event` for the runs to come; nil forgets it.
    ///
    /// `at`: when it was chosen, in milliseconds since 1970; nil = now.
    func choose(_ event: String?, ids: [ChosenID] = [], at: Int64? = nil) throws(IngestError) {
        try DurableFile.makeDirectories(state, mode: 0o700)
        let named = ids.map(\.line).filter { line in !line.contains { $0.contains { "\t\n".contains($0) } } }
        let text = ([event ?? ""] + named.map { $0.joined(separator: "\t") }.sorted()).joined(separator: "\n")
        let bytes = Array(text.utf8)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
        if let at { ChoiceTime.set(path, at) }
    }

    /// Ids that were chosen with a sign-in are forgotten, but for those of `account`; with the last one the event
    /// itself; false where there was none.
    func forget(auth name: String, unless account: String?, keepsName: Bool) throws(IngestError) -> Bool {
        let known = chosenIDs, kept = known.filter { !$0.place.uses(name) || EventIDs.isOf(account, $0.account) }
        guard kept.count < known.count else { return false }
        let isForgotten = kept.isEmpty && !keepsName
        // Forgetting is nobody's choice: an account that has one is asked for it again.
        try choose(isForgotten ? nil : chosen, ids: kept, at: isForgotten ? 0 : chosenAt)
        return true
    }

    /// The event of a run that was asked for `named`; ends with a usage error where the pipeline cannot do without one.
    func event(_ named: String?, for rule: EventRule) throws -> String? {
        if let event = named ?? chosen { return try Self.checked(event) }
        if rule.required, !rule.hold {
            throw Refusal(
                "This pipeline needs an event: give it with --event NAME, or choose one with `filmgate events use NAME`."
            )
        }
        return nil
    }

    /// An event's name is one line that says something; spaces around it, as a paste brings them, are no part of it:
    /// two names that look alike would be two clients.
    static func checked(_ given: String) throws -> String {
        let end = given.lastIndex { !$0.isWhitespace } ?? given.startIndex
        let name = given.isEmpty ? "" : String(given[...end].drop { $0.isWhitespace })
        let plain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard plain, name.utf8.count <= 1000, !name.isEmpty else {
            throw ValidationError("An event's name is one line of at most 1000 bytes.")
        }
        return name
    }
}
