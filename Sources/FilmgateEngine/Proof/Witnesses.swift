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
    private let built: Mutex<[String?: [String: any UploadTarget]]>

    /// Throws what building the targets for no event throws.
    public init(_ build: @escaping Build) throws(IngestError) {
        self.build = build
        let plain = try build(nil).flatMap(\.targets)
        digests = plain.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.traits.digests) }.intersection([.sha1, .md5])
        built = Mutex([nil: Self.table(plain)])
    }

    /// The target that took this delivery; nil where no pipeline names it any more.
    public func target(of delivery: DeliveryRow) throws(IngestError) -> (any UploadTarget)? {
        let event = delivery.isUnassigned ? nil : delivery.event
        return try built.withLock { built throws(IngestError) -> (any UploadTarget)? in
            if let known = built[event] { return known[delivery.target] }
            let made = Self.table(try build(event).flatMap(\.targets))
            built[event] = made
            return made[delivery.target]
        }
    }

    private static func table(_ targets: [PlannedTarget]) -> [String: any UploadTarget] {
        Dictionary(targets.map { ($0.identity, $0.target) }) { first, _ in first }
    }
}
