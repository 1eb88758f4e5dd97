public import FilmgateCore
import Synchronization

/// The targets that can be asked now about what was delivered to them.
///
/// A target is another one for each event: each is built for the event that a delivery was made for, when it is first
/// asked.
public final class ProofTargets: Sendable {
    public typealias Build = @Sendable (_ event: String?) throws(IngestError) -> [Plan]

    /// Digests that the targets ask by, beyond the SHA-256.
    public let digests: Set<DigestAlgorithm>
    private let build: Build
    private let built: Mutex<[String?: [Plan]]>
    /// Targets that did not answer, let nobody in, or whose answers do not count; by their identity.
    private let silent = Mutex<[String: Unheard]>([:])
    /// A target that was asked in vain.
    public struct Unheard: Sendable {
        public var target: String, error: IngestError
        /// It says yes to what nobody can have: it did answer.
        public var isUntruthful: Bool { error.cause is UntruthfulAnswer }
    }
    private struct Folder: Hashable { var volume: String, path: String }
    /// Of the folders looked at so far, by the shots' keys.
    private let shots = Mutex<[Folder: [String: [KnownFile]]]>([:])

    /// Throws what building the targets for no event throws.
    public init(_ build: @escaping Build) throws(IngestError) {
        self.build = build
        let plans = try build(nil)
        let algorithms = plans.flatMap(\.targets).reduce(into: Set<DigestAlgorithm>()) {
            $0.formUnion($1.traits.digests)
        }
        digests = algorithms.intersection([.sha1, .md5])
        built = Mutex([nil: plans])
    }

    /// The target that took this delivery; nil where no pipeline names it any more.
    public func target(of delivery: DeliveryRow) throws(IngestError) -> (any UploadTarget)? {
        for plan in try plans(for: delivery.event) {
            if let target = plan.targets.first(where: { $0.identity == delivery.target }) { return target.target }
        }
        return nil
    }

    /// Throws again what a target that did not answer threw: thousands of files are not asked for one by one.
    func requireHeard(_ identity: String) throws(IngestError) {
        if let silent = silent.withLock({ $0[identity] }) { throw silent.error }
    }

    /// A question about a delivery ended so at its target.
    func note(_ error: IngestError, of delivery: DeliveryRow) {
        guard [.network, .unavailable, .unauthorized, .untrusted, .misconfigured].contains(error.code) else { return }
        silent.withLock { $0[delivery.target] = Unheard(target: delivery.targetName, error: error) }
    }

    /// The targets that were asked and gave no answer that counts, in the order of their names.
    public var unheard: [Unheard] { silent.withLock { $0.values.sorted { $0.target < $1.target } } }

    /// The targets that a file should have reached by the rules of today, and those of which that cannot be told
    /// without reading it.
    ///
    /// Sidecars and memos go where their shot goes; one without a picture goes by itself. What the other files of the
    /// shot say is looked up in `reader`. `isLeftOut`: only what pipelines say of whose stages all is known: another
    /// stage may be what left it out.
    func wanted(
        _ row: AssetRow, _ reader: any LedgerReader, isLeftOut: Bool = false
    ) async throws(IngestError) -> [PlannedTarget] {
        var known = KnownFile(
            fingerprint: row.origin.fingerprint, content: row.content, kind: row.kind, ending: row.ending,
            make: row.media?.make, model: row.media?.model, serial: row.media?.serial, owner: row.media?.owner,
            captured: row.media?.captured, done: [], shot: row.shot.key)
        known.zoneAssumed = row.flags.contains(AssetFlag.zoneAssumed)
        (known.isRead, known.rating, known.isProtected) = (
            row.media != nil, row.media?.rating, row.flags.contains(AssetFlag.protected)
        )
        if let sha256 = row.content?.sha256 {
            known.mark = try await reader.marks(of: [sha256])[sha256] ?? PictureMark()
        }
        (known.width, known.height) = (row.media?.width, row.media?.height)
        var found: [PlannedTarget] = []
        for plan in try plans(for: row.event) where plan.acceptable.contains(row.kind) {
            if isLeftOut, plan.stages.contains(where: { $0.traits == StageTraits() }) { continue }
            let members = plan.looksAtFacts || row.kind.follows ? try await members(of: row, reader) : []
            let shot = KnownShot(remembered: members), lead = shot.speaker(for: known)
            let facts = lead.remembered(shot: row.shot).media ?? MediaFacts()
            let profile = try await BodySerials().resolve(facts, lead.kind, plan.profiles, reader)
            if plan.isSelectedOut(known, members.isEmpty ? [known] : members, profile, at: row.shot) { continue }
            found += plan.wanted(known, profile, plan.frame(of: known, in: shot, profile, isClockSure: true))
        }
        return found
    }

    /// The names of those for which nobody has ordered the file, whatever became of its `deliveries`; none where the
    /// targets cannot be told.
    func unordered(_ row: AssetRow, _ deliveries: [DeliveryRow], _ reader: any LedgerReader) async -> [String] {
        let wanted = (try? await wanted(row, reader)) ?? []
        let others = wanted.filter { target in
            !deliveries.contains { target.isHeir(of: $0, for: row.event) || target.isPlace(of: $0) }
        }
        return Set(others.map(\.name)).sorted()
    }

    /// The files of its shot that the ledger knows; a folder of a card is looked up once.
    private func members(of row: AssetRow, _ reader: any LedgerReader) async throws(IngestError) -> [KnownFile] {
        let parts = row.origin.volumePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = Folder(volume: row.origin.volume, path: parts.joined(separator: "/"))
        if let known = shots.withLock({ $0[folder] }) { return known[row.shot.key] ?? [] }
        let files = try await reader.known(volume: folder.volume, below: folder.path)
        let found = Dictionary(grouping: files, by: \.shot).mapValues { KnownFile.latest($0) }
        shots.withLock { $0[folder] = found }
        return found[row.shot.key] ?? []
    }

    /// What several stations deliver to, with that event or without one.
    func shared(for event: String?) throws(IngestError) -> SharedTargets {
        try plans(for: event).reduce(into: SharedTargets()) { $0.add($1.shared) }
    }

    /// The pipelines' plans for an event, built when it is first asked for.
    func plans(for event: String?) throws(IngestError) -> [Plan] {
        let event = event == DeliveryRow.unassigned ? nil : event
        return try built.withLock { built throws(IngestError) -> [Plan] in
            if let known = built[event] { return known }
            let made = try build(event)
            built[event] = made
            return made
        }
    }
}
