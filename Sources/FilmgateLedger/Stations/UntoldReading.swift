import FilmgateCore
import GRDB

/// Makes a report of the rows that changed.
struct UntoldReading {
    private enum Change: Hashable { case file(volume: Int64, path: String), delivery(content: Int64, target: Int64) }
    private struct Line { let seq: Int64, change: Change }
    private let db: Database
    /// A path may have had many files, one after the other: so many are told at once where the end can still be chosen.
    private let most: Int
    /// The catalogue takes no more of them in one report.
    private var limitOfCatalog: Int { 2 * most }

    init(_ db: Database, most: Int = 5_000) { (self.db, self.most) = (db, most) }

    /// A report that is told again ends where it ended before: where it has grown too large since, the newest files of
    /// each path are in it.
    func report(after seq: Int64, upTo end: Int64?, limit: Int) throws -> StationReport? {
        let lines = try lines(after: seq, upTo: end, limit: limit)
        if lines.isEmpty { return nil }
        let whole = try rows(of: lines, after: seq, canEndEarlier: end == nil, each: limitOfCatalog)
        guard whole.sightings.count > limitOfCatalog else { return whole }
        let files = Set(lines.map(\.change)).count(where: { if case .file = $0 { true } else { false } })
        let each = max(1, limitOfCatalog / max(1, files))
        return try rows(of: lines, after: seq, canEndEarlier: false, each: each)
    }

    private func lines(after seq: Int64, upTo end: Int64?, limit: Int) throws -> [Line] {
        let columns = "seq, volume_id, path, content_id, target_id"
        var query = try Query(db, "SELECT \(columns) FROM told WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?")
        query.bind(seq)
        query.bind(end ?? Int64.max)
        query.bind(limit)
        var lines: [Line] = []
        while try query.next() {
            let seq = query.int(), change: Change
            if let volume = query.intOrNil() {
                change = .file(volume: volume, path: query.text())
            } else {
                query.skip(1)
                change = .delivery(content: query.int(), target: query.int())
            }
            lines.append(Line(seq: seq, change: change))
        }
        return lines
    }

    /// `each`: so many files of one path at most, the newest ones.
    ///
    /// Where it comes to more than the catalogue takes, the rest is not read.
    private func rows(
        of lines: [Line], after seq: Int64, canEndEarlier: Bool, each: Int
    ) throws -> StationReport {
        var report = StationReport(since: seq, upTo: seq), read: Set<Change> = []
        for line in lines {
            if read.insert(line.change).inserted {
                switch line.change {
                case .file(let volume, let path):
                    let (files, contents) = (report.sightings.count, report.contents.count)
                    try addFiles(of: volume, path, each, to: &report)
                    if canEndEarlier, files > 0, report.sightings.count > most {
                        report.sightings.removeLast(report.sightings.count - files)
                        report.contents.removeLast(report.contents.count - contents)
                        return report
                    }
                    if report.sightings.count > limitOfCatalog { return report }
                case .delivery(let content, let target): try addDelivery(of: content, target, to: &report)
                }
            }
            report.upTo = line.seq
        }
        return report
    }

    /// Nothing where the row is gone.
    private func addFiles(
        of volume: Int64, _ path: String, _ most: Int, to report: inout StationReport
    ) throws {
        var query = try Query(db, Self.file)
        query.bind(volume)
        query.bind(path)
        query.bind(most)
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

    private func addDelivery(of content: Int64, _ target: Int64, to report: inout StationReport) throws {
        var query = try Query(db, Self.delivery)
        query.bind(content)
        query.bind(target)
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
        WHERE a.volume_id = ? AND a.path = ? AND a.ending IS NOT NULL ORDER BY a.at DESC LIMIT ?
        """
    private static let delivery = """
        SELECT c.key, t.identity, t.name, d.state, n.kind, coalesce(d.size, 0), d.verified, coalesce(d.url, d.receipt_path, d.remote_id), d.sha256
        FROM content c, target t LEFT JOIN delivery d ON d.content_id = c.id AND d.target_id = t.id
        LEFT JOIN denial n ON n.content_id = c.id AND n.target_id = t.id WHERE c.id = ? AND t.id = ?
        """
}
