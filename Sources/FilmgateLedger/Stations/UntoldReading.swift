import FilmgateCore
import GRDB

/// Makes a report of the rows that changed.
struct UntoldReading {
    private struct File: Hashable { let volume: Int64, path: String }
    private struct Pair: Hashable { let content: Int64, target: Int64 }
    private let db: Database

    init(_ db: Database) { self.db = db }

    func report(after seq: Int64, upTo end: Int64?, limit: Int) throws -> StationReport? {
        let columns = "seq, volume_id, path, content_id, target_id"
        var lines = try Query(db, "SELECT \(columns) FROM told WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?")
        lines.bind(seq)
        lines.bind(end ?? Int64.max)
        lines.bind(limit)
        var files: Set<File> = [], pairs: Set<Pair> = [], last = seq
        while try lines.next() {
            last = lines.int()
            if let volume = lines.intOrNil() {
                files.insert(File(volume: volume, path: lines.text()))
            } else {
                lines.skip(1)
                pairs.insert(Pair(content: lines.int(), target: lines.int()))
            }
        }
        if last == seq { return nil }
        var report = StationReport(since: seq, upTo: last)
        for file in files { try add(file, to: &report) }
        for pair in pairs { try add(pair, to: &report) }
        return report
    }

    /// Nothing where the row is gone.
    private func add(_ file: File, to report: inout StationReport) throws {
        var query = try Query(db, Self.file)
        query.bind(file.volume)
        query.bind(file.path)
        while try query.next() {
            let volume = query.text(), path = query.text(), size = query.size(), modified = query.int()
            let born = query.int()
            let inode = query.size(), changed = query.int(), source = query.text(), root = query.text()
            let origin = Origin(
                source: source, volume: volume, root: root, path: path, size: size, modified: modified, born: born,
                inode: inode, changed: changed, volumePath: path)
            let kind = MediaKind(rawValue: query.text()) ?? .other, ending = Ending(rawValue: query.text())
            let at = query.int()
            let content = query.textOrNil().map { ContentKey(rawValue: $0) }
            let captured = query.textOrNil().flatMap { CivilTime($0) }
            guard let ending else { continue }
            report.sightings.append(SightingFact(origin: origin, sha256: content?.sha256, ending: ending, at: at))
            if let content {
                report.contents.append(
                    ContentFact(sha256: content.sha256, size: size, captured: captured?.civilSeconds, kind: kind))
            }
        }
    }

    private func add(_ pair: Pair, to report: inout StationReport) throws {
        var query = try Query(db, Self.delivery)
        query.bind(pair.content)
        query.bind(pair.target)
        guard try query.next() else { return }
        let content = ContentKey(rawValue: query.text()), target = query.text(), name = query.text()
        let state = query.textOrNil(), denial = query.textOrNil()
        let isDone = state == Receipt.State.done.rawValue
        var fact = DeliveryFact(
            content: content, target: target, targetName: name,
            state: isDone ? (denial == nil ? .done : .removed) : .withdrawn, proof: .none, size: query.size())
        if isDone {
            fact.proof = query.textOrNil().flatMap { Receipt.Proof(rawValue: $0) } ?? .none
            fact.receipt = query.textOrNil().map { AddressMask.hidden($0) }
            let sent = query.textOrNil()
            fact.sent = sent == content.sha256 ? nil : sent
        }
        report.deliveries.append(fact)
    }

    private static let file = """
        SELECT v.identity, a.path, a.size, a.modified, a.born, a.inode, a.changed, p.source, p.root, a.kind, a.ending, a.at, c.key, c.captured
        FROM asset a JOIN volume v ON v.id = a.volume_id JOIN place p ON p.id = a.place_id LEFT JOIN content c ON c.id = a.content_id
        WHERE a.volume_id = ? AND a.path = ? AND a.ending IS NOT NULL
        """
    private static let delivery = """
        SELECT c.key, t.identity, t.name, d.state, n.kind, coalesce(d.size, 0), d.verified, coalesce(d.url, d.receipt_path, d.remote_id), d.sha256
        FROM content c, target t LEFT JOIN delivery d ON d.content_id = c.id AND d.target_id = t.id
        LEFT JOIN denial n ON n.content_id = c.id AND n.target_id = t.id WHERE c.id = ? AND t.id = ?
        """
}
