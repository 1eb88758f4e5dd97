import FileKit
import FilmgateCore

/// What a proof said that it rests on.
struct ProvenFiles: Sendable {
    /// Of the bytes on the card, and copies of them that the ledger does not know; both in an order.
    private(set) var digests: [String] = [], elsewhere: [String] = []
    private(set) var copies = NamedCopies()

    init() {}

    init(_ job: Job) {
        (digests, elsewhere, copies) = (job.digests.sorted(), job.copies.elsewhere.sorted(), job.copies)
    }
}

/// The copies that `safe-to-format` named, file by file.
struct NamedCopies: Sendable {
    /// Hashes of the paths that it found something at: the ledger has the paths, and they are many.
    private var found: Set<Int> = []
    /// Paths to which other stations led it; the ledger does not know them.
    private(set) var elsewhere: Set<String> = []
    /// Targets that it did not ask, or that gave no answer: what they said when they took the files counts there.
    private(set) var believed: Set<String> = []
    /// Where those lie that it found something at, as far as they are few.
    private(set) var folders: Set<String> = []
    private static let mostNames = 20, mostFolders = 4096

    mutating func hear(_ item: JSONValue) {
        for path in item["copies"]?.texts ?? [] {
            found.insert(path.hashValue)
            if path.hasPrefix("/"), folders.count < Self.mostFolders { folders.insert(Paths.folder(path)) }
            if item["stations"] != nil { elsewhere.insert(path) }
        }
        for target in item["believed"]?.texts ?? [] where believed.count < Self.mostNames { believed.insert(target) }
    }

    func wasFound(_ path: String) -> Bool { found.contains(path.hashValue) }

    /// Why there is no YES where a target's earlier word counted: that is no proof made now.
    ///
    /// `result`: the last object of the command.
    func doubt(_ result: JSONValue?, hasPipeline: Bool) -> String? {
        guard !believed.isEmpty || (result?["believed"]?.whole ?? 0) > 0 else { return nil }
        let names = believed.isEmpty ? "a target elsewhere" : believed.sorted().joined(separator: ", ")
        return hasPipeline
            ? "No answer now from \(names). Ask again when it answers; what cannot tell needs `find` in the pipeline."
            : "Not asked now: \(names). Start the page with the pipeline, as `filmgate studio PIPELINE`, and ask again."
    }
}
