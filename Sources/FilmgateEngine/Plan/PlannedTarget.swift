import FilmgateCore

/// A target of the plan: its name in the file, and the built module.
///
/// One object, however many deliveries are for it.
final class PlannedTarget: Sendable {
    let name: String
    let target: any UploadTarget
    let traits: TargetTraits
    /// The name of the event that it was built for.
    let event: String?
    /// Nil where the service does not say how it is.
    let health: HealthGate?

    /// Deliveries at once.
    let parallel: Int

    init(
        name: String, target: any UploadTarget, workers: Int?, event: String? = nil,
        clock: any RunClock = TimerQueue.shared
    ) {
        (self.name, self.target, traits, self.event) = (name, target, target.traits, event)
        health = (target as? any HealthTarget).map { HealthGate($0, clock: clock) }
        parallel = max(1, workers ?? traits.parallel) + max(0, traits.waiting)
    }

    var isLocal: Bool { traits.localRoot != nil }
    var identity: String { traits.identity }

    /// The identity with an event of a target that is another one for each, from that without.
    static func identity(_ target: String, for event: String) -> String { "\(target):\(event)" }

    /// Its names hold the event: with another event it is another place.
    var isOneByEvent: Bool { traits.layout?.uses.contains("event") == true }

    /// Whether what waits there without its event comes here with that one: the same place, never another of the same
    /// name.
    func isHeir(of delivery: DeliveryRow, for event: String?) -> Bool {
        if identity == delivery.target { return true }
        guard let event else { return false }
        return identity == Self.identity(delivery.target, for: event) || identityWithoutEvent == delivery.target
    }

    /// Its identity without the event that it was built with; nil where it was built with none.
    var identityWithoutEvent: String? {
        guard let event = traits.event, identity.hasSuffix(":" + event) else { return nil }
        return String(identity.utf8.dropLast(event.utf8.count + 1))
    }

    /// Whether that delivery is for this place, which was built without an event, and for its own event.
    func isPlace(of delivery: DeliveryRow) -> Bool {
        guard let event = delivery.event else { return false }
        if delivery.target == Self.identity(identity, for: event) { return true }
        // Galleries may have ids for their events, in which no colon is.
        guard !isLocal, delivery.target.utf8.starts(with: (identity + ":").utf8) else { return false }
        return !delivery.target.utf8.dropFirst(identity.utf8.count + 1).contains(0x3A)
    }

    /// Why this target does not take files of that kind, whatever is in them.
    func refusal(of kind: MediaKind) -> String? {
        guard let accepts = traits.accepts, !accepts.contains(kind) else { return nil }
        return "\(name) does not take \(kind.rawValue) files"
    }

    /// Why this target does not take files with such an extension.
    func refusal(ofName file: String) -> String? {
        let ext = FileName(file).ext
        guard let known = traits.extensions, !known.contains(ext.lowercased()) else { return nil }
        return "\(name) does not take .\(ext) files"
    }

    /// Why this target itself does not take the asset; nil when it does.
    func refusal(of asset: Asset) -> String? {
        if let reason = refusal(of: asset.kind) { return reason }
        let size = asset.renditions[name]?.file.size ?? asset.origin.size
        if let limit = traits.maxSize, size > limit {
            return "\(name) takes at most \(ByteCount(limit).shown ?? "") a file"
        }
        if let reason = refusal(ofName: asset.origin.name) { return reason }
        return asset.media?.pixels.flatMap(refusal(ofPixels:))
    }

    /// Why this target does not take pictures of that size.
    func refusal(ofPixels pixels: Int) -> String? {
        guard let limit = traits.maxPixels, pixels > limit else { return nil }
        return "\(name) takes at most \(limit / 1_000_000) megapixels"
    }
}
