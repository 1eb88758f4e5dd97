import FileKit
public import FilmgateCore

/// A second look at files of a card that this station's ledger does not prove: other stations say where they delivered
/// them, and this one asks and reads there itself, now.
///
/// Never a false yes. What another station says is only a reason to look, however recent it is; what counts is what a
/// target that stations share says now, or what is read now in a folder that they share.
public struct StationProof: Sendable {
    private let proof: CardProof, targets: ProofTargets, lookup: StationLookup
    private let station: String
    private let check: DeliveryCheck
    /// So many events of a target are tried.
    private static let mostEvents = 8

    /// Follows what `proof` left open.
    ///
    /// `station`: this one's name. `targets`: those that are wanted and asked.
    public init(_ catalog: any Catalog, station: String, asking targets: ProofTargets, _ proof: CardProof) {
        self.init(StationLookup(catalog: catalog), station: station, asking: targets, proof)
    }

    init(_ lookup: StationLookup, station: String, asking targets: ProofTargets, _ proof: CardProof) {
        (self.proof, self.targets, self.lookup, self.station) = (proof, targets, lookup, station)
        // What a target says of another station's delivery is nothing to be written into this ledger.
        check = DeliveryCheck(
            reader: proof.reader, proofTargets: targets, allowance: proof.allowance, media: try? Media.current(),
            pool: BlockingPool(width: 3), heard: TargetStatements())
    }

    /// The findings of `shots`, each anew that is open: never ingested here, or never delivered to a target that this
    /// pipeline wants.
    ///
    /// The catalogue is waited for five seconds at most, in all.
    public func follow(_ shots: [[ExaminedFile]]) async throws(IngestError) -> [[CardProof.Finding]] {
        let open = shots.joined().filter(Self.isOpen).compactMap(\.finding.sha256)
        guard !open.isEmpty else { return shots.map { $0.map(\.finding) } }
        let answer = await lookup.copies(of: open)
        typealias Settled = (Int, Result<[CardProof.Finding], IngestError>)
        let settled = await withTaskGroup(of: Settled.self) { group in
            var all: [Settled] = [], next = 0
            func begin() {
                guard next < shots.count else { return }
                let index = next, shot = shots[next]
                next += 1
                group.addTask {
                    (index, await Result { () async throws(IngestError) in try await settle(shot, answer) })
                }
            }
            for _ in 0..<3 { begin() }
            while let one = await group.next() {
                all.append(one)
                begin()
            }
            return all.sorted { $0.0 < $1.0 }
        }
        var findings: [[CardProof.Finding]] = []
        for (_, one) in settled { findings.append(try one.get()) }
        return findings
    }

    /// Lets go of the catalogue.
    public func close() async { await lookup.close() }

    private static func isOpen(_ file: ExaminedFile) -> Bool { remedy(file) != nil }

    /// Nil where nothing that another station says would help.
    private static func remedy(_ file: ExaminedFile) -> CardProof.Remedy? {
        guard case .problem(_, let remedy?) = file.finding.verdict, [.ingest, .deliver].contains(remedy) else {
            return nil
        }
        return file.finding.digests == nil || file.path == nil ? nil : remedy
    }

    // MARK: One shot

    private func settle(
        _ shot: [ExaminedFile], _ answer: StationLookup.Answer
    ) async throws(IngestError) -> [CardProof.Finding] {
        var findings = shot.map(\.finding)
        let read = shot.compactMap { file in
            file.finding.digests.flatMap { digests in
                file.path.map { ProofTargets.Untaken(entry: file.entry, path: $0, digests: digests) }
            }
        }
        var wishes: [String?: [ProofTargets.Wish]] = [:]
        for (index, file) in shot.enumerated() {
            guard let remedy = Self.remedy(file), let digests = file.finding.digests, let path = file.path else {
                continue
            }
            guard let copies = answer.copies[digests.sha256] else {
                findings[index].verdict = Self.unanswered(file.finding.verdict, remedy)
                findings[index].unanswered = answer.failure ?? "no answer"
                continue
            }
            let hints = StationHints(
                copies, sha256: digests.sha256, size: file.entry.origin.size, kind: file.entry.kind,
                beside: file.beside, own: station)
            guard !hints.isEmpty else { continue }
            let search = StationSearch(
                check: check, targets: targets, hints: hints, entry: file.entry, path: path, digests: digests)
            if remedy == .deliver {
                findings[index].verdict = try await proof.verdict(
                    file.entry, path, digests, file.beside, &findings[index],
                    elsewhere: { target, event async throws(IngestError) in
                        try await search.look(at: target, for: event)
                    })
            } else if let place = read.firstIndex(where: { $0.entry.origin == file.entry.origin }) {
                for event in try events(hints) {
                    if wishes[event] == nil { wishes[event] = try await targets.wanted(read, for: event, proof.reader) }
                    guard let wish = wishes[event]?[place] else { continue }
                    findings[index].verdict = try await verdict(wish, event, search, &findings[index])
                    if findings[index].verdict == .proven { break }
                }
            }
            if findings[index].verdict == .proven { findings[index].open = [] }
        }
        return findings
    }

    /// The reason is told once beside the answer, and not with each file.
    private static func unanswered(_ verdict: CardProof.Verdict, _ remedy: CardProof.Remedy) -> CardProof.Verdict {
        guard case .problem(let why, _) = verdict else { return verdict }
        let here = remedy == .ingest ? "never ingested here" : why
        return .problem("\(here); the catalogue did not answer", remedy)
    }

    /// The events for which stations say to have delivered a file; without one, where nobody names one.
    private func events(_ hints: StationHints) throws(IngestError) -> [String?] {
        let shared = try targets.shared(for: nil)
        var events: Set<String?> = []
        for plan in try targets.plans(for: nil) {
            for target in plan.targets { events.formUnion(shared.events(of: target.identity, in: hints.shared.keys)) }
        }
        let named = events.compactMap(\.self).sorted().prefix(Self.mostEvents)
        return events.isEmpty || events.contains(nil) ? [nil] + named.map(Optional.some) : named.map(Optional.some)
    }

    // MARK: One file that no run of this station took

    private func verdict(
        _ wish: ProofTargets.Wish, _ event: String?, _ search: StationSearch, _ finding: inout CardProof.Finding
    ) async throws(IngestError) -> CardProof.Verdict {
        let wanted: [PlannedTarget]
        switch wish {
        case .unclear(let why):
            return .problem("never ingested here, and nobody can tell which targets want it: \(why)", .ingest)
        case .targets(let targets, _) where targets.isEmpty:
            return .problem("never ingested here, and no target of this pipeline wants it", .ingest)
        case .targets(let targets, let isDamaged): (wanted, finding.isDamaged) = (targets, isDamaged)
        }
        let shared = try targets.shared(for: event)
        // What cannot be proven from here costs no question.
        if let target = wanted.first(where: { shared.common($0.identity) == nil }) {
            return Self.outOfReach(target, search.hints)
        }
        var places = CopyPlaces(), found: [StationLook.Copy] = []
        for target in wanted {
            switch try await search.look(at: target, for: event) {
            case .proven(let copy)?:
                places.add(copy.row, mark: target.traits.localRoot.flatMap(SharedFolderFile.read), check.media)
                found.append(copy)
            case .unproven(let verdict)?: return verdict
            case nil: return .problem("\(target.name): no station says that it delivered this file there", .deliver)
            }
        }
        guard places.count >= proof.copies else {
            finding.lacks = proof.copies - places.count
            return .problem(places.tooFew(of: proof.copies), .copyElsewhere)
        }
        for copy in found { finding.note(copy) }
        return .proven
    }

    /// A target of this station alone has no copy, since this station never took the file.
    private static func outOfReach(_ target: PlannedTarget, _ hints: StationHints) -> CardProof.Verdict {
        let owners = hints.owners(of: target.name)
        guard !owners.isEmpty else {
            return .problem("\(target.name): never delivered there from here, and the pipeline wants it", .deliver)
        }
        let says = owners.count == 1 ? "says that it has a copy" : "say that they have copies"
        let own = owners.count == 1 ? "its" : "their"
        return .problem(
            "\(target.name): \(owners.joined(separator: ", ")) \(says) of \(own) own, out of reach here: not proven",
            .deliver)
    }
}
