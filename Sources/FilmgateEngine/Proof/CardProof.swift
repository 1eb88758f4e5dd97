import FileKit
public import FilmgateCore

/// The answer to "may I format this card?": every file hashed now, every copy looked at now.
///
/// Never a false yes.
public struct CardProof: Sendable {
    /// One file's verdict.
    public enum Verdict: Sendable, Hashable {
        case proven
        /// Needs no copy: empty, or housekeeping that any camera writes anew.
        case exempt(String)
        case problem(String, Remedy? = nil)
        /// Delivered once, and since removed by someone at the target; `isAway`: or its disk is not mounted.
        case removed(String, isAway: Bool = false)
    }
    public typealias Remedy = ProofRemedy

    public struct Finding: Sendable {
        public var origin: Origin, kind: MediaKind, verdict: Verdict, sha256: String?
        /// Targets that named the bytes' digest when they took them, and were not asked now or cannot tell.
        public var believed: [String] = []
        /// A part of the file is missing on the card; what is there may be proven all the same.
        public var isDamaged = false
        /// Copies that the file's last import did not want and that are lost or other bytes now: `name (event)`.
        public var lost: [String] = []
        /// Addresses and folders at which a delivery of these bytes waits, is held or was refused.
        public var open: [String] = []
        /// Other stations whose word led to copies that were asked for or read here, and the targets where that was.
        public var stations: [String] = [], asked: [String] = []
        /// Paths of the copies that were looked at and found to be there.
        public var copies: [String] = []
        /// How many copies are missing on further devices, whatever else is wrong with it.
        public var lacks = 0
        /// What somebody took back of it, or said to be gone.
        public var takenBack: [TakenBackCopy] = []
        /// Why the catalogue did not say what other stations have of it; nil where it did, or was not asked.
        public var unanswered: String?
        /// Of the bytes on the card; nil where they were not read.
        var digests: Digests?

        public init(origin: Origin, kind: MediaKind, verdict: Verdict, sha256: String?) {
            (self.origin, self.kind, self.verdict, self.sha256) = (origin, kind, verdict, sha256)
        }
    }
    /// Rules that a caller may lift.
    public struct Allowance: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A copy on the card's own device counts: for tests.
        public static let sameDevice = Allowance(rawValue: 1)
        /// Files that a rule left out do not count.
        public static let filtered = Allowance(rawValue: 2)
    }
    /// Which files need no copy, by their names, and what their bytes say to that.
    public struct Exemptions: Sendable {
        let isHousekeeping: @Sendable (String) -> Bool
        let disguise: @Sendable (String) throws(IngestError) -> String?

        /// `disguise` gets an absolute path and says what the file is where it is not what its name says; it reads the
        /// file's head.
        public init(
            isHousekeeping: @escaping @Sendable (String) -> Bool,
            disguise: @escaping @Sendable (String) throws(IngestError) -> String? = { _ in nil }
        ) {
            (self.isHousekeeping, self.disguise) = (isHousekeeping, disguise)
        }
    }

    let reader: any LedgerReader
    /// Nil where no target is to be asked.
    let proofTargets: ProofTargets?
    let allowance: Allowance
    /// On how many places a file must lie: devices, and one target beside them.
    let copies: Int
    private let memory = PlaceMemory()
    /// What the targets said while they were asked.
    public let heard: TargetStatements
    private let pool = BlockingPool(width: 3)
    private let exemptionCheck: ExemptionCheck
    private let deliveryCheck: DeliveryCheck

    public init(
        reader: any LedgerReader, proofTargets: ProofTargets?, allowance: Allowance, copies: Int = 1,
        exemptions: Exemptions, heard: TargetStatements = TargetStatements()
    ) {
        (self.reader, self.proofTargets, self.allowance, self.copies) = (reader, proofTargets, allowance, copies)
        self.heard = heard
        deliveryCheck = DeliveryCheck(
            reader: reader, proofTargets: proofTargets, allowance: allowance, media: try? Media.current(), pool: pool,
            heard: heard)
        exemptionCheck = ExemptionCheck(exemptions: exemptions, check: deliveryCheck, copies: copies)
    }

    /// Looks at one entry of the card.
    ///
    /// Reads the whole file and every local copy of it, all from their disks: what memory holds of the card since its
    /// import may be what was misread then. `beside`: the SHA-256 of the pictures in its shot, of which a sidecar's is
    /// one.
    public func examine(_ entry: SourceEntry, at path: String?, beside: [String] = []) async throws(IngestError)
        -> Finding
    {
        var finding = Finding(origin: entry.origin, kind: entry.kind, verdict: .proven, sha256: nil)
        switch entry.fate {
        case .filtered(let reason):
            finding.verdict = try await exemptionCheck.verdict(onFiltered: reason, entry, at: path)
            return finding
        case .unreadable(let reason):
            finding.verdict = .problem("cannot be read: \(reason)", .readElsewhere)
            return finding
        case .take: break
        }
        if entry.origin.size == 0 {
            finding.verdict = .exempt("empty file")
            finding.isDamaged = ![MediaKind.other, .sidecar].contains(entry.kind)
        } else if await exemptionCheck.isHousekeeping(entry.origin, at: path) {
            finding.verdict = .exempt("housekeeping")
        }
        guard finding.verdict == .proven, let path else { return finding }
        let algorithms = proofTargets?.digests ?? []
        let hashed = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                try Reread.digests(of: path, algorithms)
            }
        }
        switch hashed {
        case .failure(let error):
            let remedy: Remedy? = error.code == .corruptData ? .waitForWriters : error.advice.map(Remedy.said)
            finding.verdict = .problem("cannot be read: \(error.message)", remedy ?? .readElsewhere)
        case .success(let digests):
            (finding.sha256, finding.digests) = (digests.sha256, digests)
            finding.verdict = try await verdict(entry, path, digests, beside, &finding)
            if case .problem = finding.verdict { finding.open = try await open(digests.sha256) }
        }
        return finding
    }

    /// `elsewhere`: looks where other stations say to have delivered it, for targets at which this ledger knows of
    /// nothing.
    func verdict(
        _ entry: SourceEntry, _ path: String, _ digests: Digests, _ beside: [String], _ finding: inout Finding,
        elsewhere: StationLook.Search? = nil
    ) async throws(IngestError) -> Verdict {
        guard let row = try await RowSearch(reader: reader).row(of: entry, digests.sha256, beside) else {
            return try await unknown(entry, digests.sha256)
        }
        finding.isDamaged = row.flags.contains(AssetFlag.truncated)
        if let ended = try await verdict(byEndingOf: row) { return try await markable(ended, row) }
        guard let content = row.content, !row.wanted.isEmpty else {
            return .problem("no target was to receive it", .copyToFolder)
        }
        let deliveries = try await reader.deliveries(of: content, noting: &finding)
        let taken: [String], others: [StationLook.Copy]
        switch try await orders(row, deliveries, elsewhere) {
        case .targets(let targets, let found): (taken, others) = (targets, found)
        case .settled(let verdict): return verdict
        }
        let question = CopyCount.Question(check: deliveryCheck, entry: entry, path: path, digests: digests)
        var counted = CopyCount(question, copies: copies)
        for copy in others {
            await counted.add(copy)
            finding.note(copy)
        }
        var problems: [Verdict] = []
        for wanted in taken {
            guard let delivery = deliveries.first(where: { $0.target == wanted }) else {
                problems.append(.problem(Self.neverBegun(wanted), .orderAgain))
                continue
            }
            switch await counted.add(ordered: delivery) {
            case nil: finding.note(read: delivery)
            case .proven: finding.believed.append(delivery.targetName)
            case let problem?: problems.append(problem)
            }
        }
        let further = deliveries.filter { $0.receipt.state == .done && !taken.contains($0.target) }
        if let problem = Verdict.together(problems)?.beside(counted.holders) ?? counted.problemWithOrdered {
            return await counted.told(problem, further, in: &finding)
        }
        for other in further {
            if await counted.add(further: other) {
                finding.note(read: other)
            } else if await deliveryCheck.isSpoiled(other, digests) {
                finding.lost.append(DeliveryCheck.label(other))
            }
        }
        finding.believed += counted.believed
        return await counted.told(counted.verdict, [], in: &finding)
    }

    /// Why a file that no row stands for is not proven.
    private func unknown(_ entry: SourceEntry, _ sha256: String) async throws(IngestError) -> Verdict {
        if entry.kind == .sidecar, try await !reader.assets(sha256: sha256).isEmpty {
            return .problem("never ingested with its picture, only with another one", .ingest)
        }
        if try await memory.knows(entry.origin, reader) { return .problem(Self.misread, .readAgain) }
        return entry.kind == .other
            ? .problem("unknown kind of file, never ingested", .nameTheKind) : .problem("never ingested", .ingest)
    }

    /// What its last ending says by itself; nil where its deliveries decide.
    private func verdict(byEndingOf row: AssetRow) async throws(IngestError) -> Verdict? {
        switch row.ending {
        // What an earlier pipeline ordered stays ordered, and proven, whatever a later one filters.
        case .filtered where !row.wanted.isEmpty && row.content != nil: return nil
        case .filtered where row.isDismissed: return leftOut(row, row.reason ?? "by rule")
        case .filtered:
            // The rules that left it out may be others by now.
            return try await wantedNow(row).map { .problem(Self.neverDelivered($0), .deliver) }
                ?? leftOut(row, row.reason ?? "by rule")
        case .pending: return .problem("pending: \(row.reason ?? "not delivered yet")")
        case .setAside: return .problem("set aside: \(row.reason ?? "not delivered")")
        case nil: return try await row.unfinished(reader).map { .problem($0) }
        case .delivered, .duplicate, .alreadySeen: return nil
        }
    }
}
