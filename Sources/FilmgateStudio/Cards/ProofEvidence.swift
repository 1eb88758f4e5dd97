import CryptographyKit
import FileKit
import FilmgateCore
import FilmgateLedger

/// Looks at what a proof rests on without reading any file's bytes.
enum ProofEvidence {
    /// No card has more entries; one that has is not watched, so that nothing is YES there.
    private static let mostEntries = 500_000

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

    /// A copy as the ledger and its target speak of it.
    struct Copy: Sendable { var words: String, path: String? }

    /// The copies of these bytes, in an order; nil when the ledger cannot be read.
    static func copies(_ digests: Set<String>, _ reader: SQLiteReader) async -> [Copy]? {
        var copies: [Copy] = []
        for sha256 in digests.sorted() {
            guard let rows = try? await reader.deliveries(of: ContentKey(sha256: sha256)) else { return nil }
            for row in rows.sorted(by: { ($0.target, $0.event ?? "") < ($1.target, $1.event ?? "") }) {
                let words = [sha256, row.target, row.event ?? "", row.receipt.state.rawValue, row.denial?.reason ?? ""]
                copies.append(Copy(words: words.joined(separator: "\u{0}"), path: row.receipt.path))
            }
        }
        return copies
    }

    /// Of them all as they lie there now, and when one was changed last.
    ///
    /// Blocks.
    static func digest(_ copies: [Copy]) -> (digest: [UInt8], latest: Int64) {
        var hash = RunningHash(.sha256), latest: Int64 = 0
        for copy in copies {
            hash.update(Array(copy.words.utf8) + [0])
            guard let path = copy.path else { continue }
            guard let facts = try? FileFacts.of(path) else {
                hash.update([1])
                continue
            }
            add(facts, path, to: &hash)
            latest = max(latest, facts.changed)
        }
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
