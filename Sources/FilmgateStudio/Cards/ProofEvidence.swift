import CryptographyKit
import FileKit
import FilmgateCore
import FilmgateLedger

/// Looks at what a proof rests on without reading any file's bytes.
enum ProofEvidence {
    /// No card has more entries; one that has is not watched, so that nothing is YES there.
    private static let mostEntries = 500_000
    /// Contents of which the ledger is asked at once: others may ask it in between.
    private static let atOnce = 200

    /// What is seen now of a card and of all copies of what is on it.
    ///
    /// Blocks, for as long as a disk does not answer.
    static func look(_ card: String, _ files: ProvenFiles, _ reader: SQLiteReader?) -> ProofState.Evidence {
        var evidence = ProofState.Evidence(card: listing(card))
        if let reader, let found = try? copies(files, reader) { (evidence.copies, evidence.latestCopy) = found }
        return evidence
    }

    /// Of everything below a folder; nil when some of it cannot be read.
    ///
    /// Blocks.
    static func listing(_ root: String) -> [UInt8]? {
        var hash = RunningHash(.sha256), folders = [root], count = 0
        guard let facts = try? FileFacts.of(root), facts.kind == .directory else { return nil }
        add(facts, root, to: &hash)
        while let folder = folders.popLast() {
            guard let names = try? FileSystem.names(in: folder) else { return nil }
            for name in names.sorted() where name != "." && name != ".." {
                count += 1
                let path = folder + "/" + name
                guard count <= mostEntries, let facts = try? FileFacts.of(path) else { return nil }
                add(facts, path, to: &hash)
                // What is mounted below is another card's.
                if facts.kind == .directory, facts.device == (try? FileFacts.of(root))??.device { folders.append(path) }
            }
        }
        return hash.digest()
    }

    /// Of all copies as they lie there now and as the ledger and their targets speak of them, and when one was changed
    /// last.
    ///
    /// One that the proof found and that is not there any more was changed just now. Others may be gone since long.
    private static func copies(
        _ files: ProvenFiles, _ reader: SQLiteReader
    ) throws(IngestError) -> (digest: [UInt8], latest: Int64) {
        var hash = RunningHash(.sha256), latest: Int64 = 0
        func see(_ path: String) {
            if let facts = try? FileFacts.of(path) {
                add(facts, path, to: &hash)
                latest = max(latest, facts.changed)
            } else {
                hash.update([1])
                if files.copies.wasFound(path) { latest = .max }
            }
        }
        for start in stride(from: 0, to: files.digests.count, by: atOnce) {
            let part = Array(files.digests[start..<min(start + atOnce, files.digests.count)])
            for one in try reader.standings(of: part) {
                let words = [
                    one.content.rawValue, one.target, one.event ?? "", one.state.rawValue,
                    one.denial?.kind.rawValue ?? "", one.denial?.reason ?? "",
                ]
                hash.update(Array(words.joined(separator: "\u{0}").utf8) + [0])
                if let path = one.path { see(path) }
            }
        }
        for path in files.elsewhere { see(path) }
        return (hash.digest(), latest)
    }

    private static func add(_ facts: FileFacts, _ path: String, to hash: inout RunningHash) {
        hash.update(Array(path.utf8) + [0])
        for number in [
            facts.size, UInt64(bitPattern: facts.modified), UInt64(bitPattern: facts.changed), facts.inode,
            facts.device, UInt64(facts.mode),
        ] { withUnsafeBytes(of: number.littleEndian) { hash.update($0) } }
    }
}
