import FileKit
import FilmgateCore
import FilmgateLedger

/// Which picture somebody means: by a file of it, at its source or at a target, or by the beginning of its SHA-256.
struct PictureSearch {
    let reader: any LedgerReader
    /// Where relative paths start.
    let start: UserPath
    static let shortest = 6

    /// Its SHA-256; throws `misconfigured` with what is wrong with the name.
    func sha256(_ name: String) async throws(IngestError) -> String {
        let path = start.recorded(name), facts = try FileFacts.of(path)
        if facts == nil, Self.isHexadecimal(name) { return try await sha256(beginning: name.lowercased()) }
        if facts?.kind == .directory {
            throw Self.wrong("\(Describe.name(path)) is a folder.", "Name the files in it.")
        }
        // A copy may be a stamped one: the ledger knows which picture it is of.
        if let copy = try await reader.delivered(below: path).first(where: { $0.receipt.path == path }) {
            return copy.content.sha256
        }
        if facts != nil {
            let sha256 = try FileCopy.hash(path: path, algorithms: []).digests.sha256
            if try await !reader.assets(sha256: sha256).isEmpty { return sha256 }
        } else if let row = try await row(at: path), let sha256 = row.content?.sha256 {
            return sha256
        }
        throw Self.wrong(
            "\(Describe.name(path)) is not known: no import has met \(facts == nil ? "it" : "these bytes").",
            "Import it first, or name it by its SHA-256; `filmgate history --json` tells those that are known.")
    }

    /// A file that is gone from its source, by where it was.
    private func row(at path: String) async throws(IngestError) -> AssetRow? {
        for root in sequence(first: path, next: { $0 == "/" || $0.isEmpty ? nil : Paths.folder($0) }) {
            let rows = try await reader.assets(AssetFilter(root: root, limit: .max))
            if let row = rows.first(where: { $0.origin.absolutePath == path }) { return row }
        }
        return nil
    }

    /// The whole digest of the only picture that begins so.
    func sha256(beginning prefix: String) async throws(IngestError) -> String {
        guard prefix.utf8.count >= Self.shortest else {
            throw Self.wrong(
                "\(prefix) is too short for a SHA-256.", "Give at least its first \(Self.shortest) digits.")
        }
        guard prefix.utf8.count <= 64 else {
            throw Self.wrong("\(prefix) is longer than a SHA-256.", "It has 64 digits.")
        }
        let found = try await (reader as? SQLiteReader)?.pictures(beginning: prefix) ?? []
        if found.count > 1 { throw Self.wrong("Several pictures begin with \(prefix).", "Give more digits.") }
        guard let one = found.first else {
            throw Self.wrong(
                "No picture with the SHA-256 \(prefix) is known.",
                "Import it first; `filmgate history --json` tells those that are known.")
        }
        return one
    }

    static func isHexadecimal(_ text: String) -> Bool {
        !text.isEmpty && text.lowercased().utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func wrong(_ message: String, _ advice: String) -> IngestError {
        IngestError(.misconfigured, message, advice: advice)
    }
}
