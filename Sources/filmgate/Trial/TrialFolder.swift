import FileKit
import FilmgateCore
import Glibc

/// Where what is only tried out lies: one folder below TMPDIR, for whoever makes it to remove.
enum TrialFolder {
    /// As much room as what is tried out takes at most, and its ledger.
    private static let needed: UInt64 = 16_000_000

    private static var place: String { UserPath.own.absolute(UserPath.environment("TMPDIR") ?? "/tmp") }

    /// A new one, absolute, that nobody else may look into; `use` says what it is for, as a verb with its options.
    static func make(for use: String) throws(IngestError) -> String {
        let place = place, name = use.prefix { $0 != " " }
        var template = Array("\(place)/filmgate-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let code = errno, isFull = code == ENOSPC || code == EDQUOT
            throw IngestError(
                isFull ? .storageFull : .unavailable,
                "No folder can be made below \(place), for what is tried out: \(String(cString: strerror(code))).",
                advice: isFull ? makeRoom(for: use) : "Choose a folder that you may write to: \(choosing(use)).")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What is said where something failed for want of room there; nil where there is enough.
    static func lackOfRoom(for use: String) -> IngestError? {
        let place = place, free = Result { () throws(IngestError) in try FileSystem.freeBytes(place) }
        guard case .success(let free) = free, free < needed else { return nil }
        return IngestError(
            .storageFull,
            "\(Describe.name(place)) has \(Describe.bytes(free)) left: `filmgate \(use)` needs about "
                + "\(Describe.bytes(needed)) there.",
            advice: makeRoom(for: use))
    }

    private static func makeRoom(for use: String) -> String {
        "Make room there, or choose another folder: \(choosing(use))."
    }

    private static func choosing(_ use: String) -> String { "`TMPDIR=/another/folder filmgate \(use)`" }
}
