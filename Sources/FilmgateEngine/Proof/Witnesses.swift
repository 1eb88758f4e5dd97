public import FilmgateCore
import Synchronization

/// The targets that can be asked now about what was delivered to them.
///
/// A target is another one for each event (design §4): each is built for the event that a delivery was made for, when it is first asked.
public final class Witnesses: Sendable {
    public typealias Build = @Sendable (_ event: String?) throws(IngestError) -> [Plan]

    /// Digests that the targets ask by, beyond the SHA-256.
    public let digests: Set<DigestAlgorithm>
    private let build: Build
    private let built: Mutex<[String?: [Plan]]>
    /// Targets that did not answer or let nobody in, by their identity.
    private let silent = Mutex<[String: IngestError]>([:])

    /// Throws what building the targets for no event throws.
    public init(_ build: @escaping Build) throws(IngestError) {
        self.build = build
        let plans = try build(nil)
        let algorithms = plans.flatMap(\.targets).reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.traits.digests) }
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
        if let error = silent.withLock({ $0[identity] }) { throw error }
    }

    /// A question to it ended so.
    func note(_ error: IngestError, of identity: String) {
        guard [.network, .unavailable, .unauthorized, .untrusted, .misconfigured].contains(error.code) else { return }
        silent.withLock { $0[identity] = error }
    }

    /// The targets that a file should have reached by the rules of today.
    ///
    /// Sidecars and memos go where their shot goes: its pictures are asked.
    func wanted(_ row: AssetRow) throws(IngestError) -> [PlannedTarget] {
        if row.kind.follows { return [] }
        var asset = Asset(origin: row.origin, kind: row.kind, shot: row.shot)
        asset.media = row.media
        return try plans(for: row.event).flatMap { $0.wanted(asset) }
    }

    private func plans(for event: String?) throws(IngestError) -> [Plan] {
        let event = event == DeliveryRow.unassigned ? nil : event
        return try built.withLock { built throws(IngestError) -> [Plan] in
            if let known = built[event] { return known }
            let made = try build(event)
            built[event] = made
            return made
        }
    }
}
