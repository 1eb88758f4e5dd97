import CardSource
import FileKit
import FilmgateCore
import FilmgateEngine
import Logging

extension Origin {
    /// The card itself.
    fileprivate init(_ place: SourcePlace) {
        self.init(source: "card", volume: "", root: place.address, path: ".", size: 0, modified: 0)
    }
}

/// Looks at every entry of a card, a few at a time, and keeps what was found in card order.
struct CardExamination {
    let path: String
    let logger: Logger
    /// Nil where no other station is asked.
    var stations: StationProof?

    func run(_ proof: CardProof) async throws(IngestError) -> FormatReport {
        var config = CardSource.Config()
        config.paths = [path]
        let card = try CardSource(config, ModuleContext(name: "card", logger: logger, state: ""))
        var report = FormatReport()
        for place in try await card.places() {
            if let whole = try await card.card(around: place) {
                report.add(
                    Self.problem(
                        Origin(place), "only a part of the card at \(whole), and cards are formatted whole: name that",
                        .nameWhole(whole)))
            } else if let whole = try await card.whole(around: place) {
                report.partOf = whole
            }
            let session = try await card.open(place)
            let entries = try await session.entries()
            let findings = await Result { () async throws(IngestError) in try await examine(entries, session, proof) }
            await session.close()
            for finding in try findings.get() { report.add(finding) }
            for finding in try Self.mounts(in: place, entries) { report.add(finding) }
            // Of single files nobody has listed the others.
            if place.takesAll { report.gone += try await proof.gone(from: session, now: entries) }
            for finding in try await changes(card, place, since: entries) { report.add(finding) }
        }
        return report
    }

    /// What is mounted over a part of the card, also from the card's own file system: what lies below it cannot be
    /// seen.
    private static func mounts(in place: SourcePlace, _ entries: [SourceEntry]) throws(IngestError) -> [CardProof
        .Finding]
    {
        let root = FileSystem.canonical(place.address)
        let told = Set(entries.filter { $0.fate != .take }.map(\.origin.path))
        let inside = try MountTable.current().mounts.compactMap { Paths.relative($0.point, to: root) }.filter {
            !$0.isEmpty
        }
        return Set(inside).subtracting(told).sorted().map {
            var origin = Origin(place)
            origin.path = $0
            return problem(
                origin,
                "something is mounted over this part of the card: what the card itself has there cannot be seen",
                .unmount(origin.absolutePath))
        }
    }

    /// What was put on the card, or written anew, while its files were read: nobody has looked at it.
    private func changes(
        _ card: CardSource, _ place: SourcePlace, since before: [SourceEntry]
    ) async throws(IngestError) -> [CardProof.Finding] {
        let session = try await card.open(place), known = Set(before.map(\.origin))
        let now = await Result { () async throws(IngestError) in try await session.entries() }
        await session.close()
        return try now.get().filter { !known.contains($0.origin) }.map { entry in
            Self.problem(entry.origin, "new or changed since reading began: run it again", .waitForWriters, entry.kind)
        }
    }

    private static func problem(
        _ origin: Origin, _ why: String, _ remedy: ProofRemedy, _ kind: MediaKind = .other
    ) -> CardProof.Finding {
        CardProof.Finding(origin: origin, kind: kind, verdict: .problem(why, remedy), sha256: nil)
    }

    private func examine(
        _ entries: [SourceEntry], _ session: any SourceSession, _ proof: CardProof
    ) async throws(IngestError) -> [CardProof.Finding] {
        typealias Answer = (Int, Result<[ExaminedFile], IngestError>)
        let shots = Self.shots(entries)
        let answers = await withTaskGroup(of: Answer.self) { group in
            var all: [Answer] = [], next = 0
            func begin() {
                guard next < shots.count else { return }
                let index = next, shot = shots[next]
                next += 1
                group.addTask {
                    (
                        index,
                        await Result { () async throws(IngestError) in try await Self.examine(shot, session, proof) }
                    )
                }
            }
            for _ in 0..<3 { begin() }
            while let answer = await group.next() {
                all.append(answer)
                begin()
            }
            return all.sorted { $0.0 < $1.0 }
        }
        var examined: [[ExaminedFile]] = []
        for (_, answer) in answers { examined.append(try answer.get()) }
        guard let stations else { return examined.flatMap { $0.map(\.finding) } }
        return try await stations.follow(examined).flatMap(\.self)
    }

    /// Files of one shot follow each other.
    private static func shots(_ entries: [SourceEntry]) -> [ArraySlice<SourceEntry>] {
        var shots: [ArraySlice<SourceEntry>] = [], start = 0
        for index in entries.indices.dropFirst() where entries[index].shot.key != entries[start].shot.key {
            shots.append(entries[start..<index])
            start = index
        }
        if start < entries.count { shots.append(entries[start...]) }
        return shots
    }

    /// Pictures first: what a sidecar is worth depends on them.
    private static func examine(
        _ shot: ArraySlice<SourceEntry>, _ session: any SourceSession, _ proof: CardProof
    ) async throws(IngestError) -> [ExaminedFile] {
        var examined: [Int: ExaminedFile] = [:], pictures: [String] = []
        func examine(_ index: Int, beside pictures: [String]) async throws(IngestError) -> CardProof.Finding {
            let entry = shot[index], path = session.localPath(entry.origin)
            let finding = try await proof.examine(entry, at: path, beside: pictures)
            examined[index] = ExaminedFile(entry, at: path, beside: pictures, finding: finding)
            return finding
        }
        for index in shot.indices where shot[index].kind != .sidecar {
            if let sha256 = try await examine(index, beside: []).sha256 { pictures.append(sha256) }
        }
        for index in shot.indices where shot[index].kind == .sidecar { _ = try await examine(index, beside: pictures) }
        return shot.indices.compactMap { examined[$0] }
    }
}
