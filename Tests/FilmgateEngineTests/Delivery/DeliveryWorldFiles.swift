import FilmgateCore

@testable import FilmgateEngine

/// The files and the targets that the deliveries of the model are about.
extension DeliveryWorld {
    static let targets = [("archive", true, 2), ("backup", true, 1), ("gallery", false, 3), ("bucket", false, 2)].map {
        let traits = TargetTraits(identity: $0, localRoot: $1 ? "/" + $0 : nil, parallel: $2)
        return PlannedTarget(name: $0, target: AcceptingTarget(traits: traits), workers: nil)
    }
    static let assets = (0..<400).map { number in
        let origin = Origin(
            source: "card", volume: "v", root: "/card", path: "IMG_\(number).JPG", size: UInt64(number + 1), modified: 0
        )
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "\(number / 2)", stem: "IMG_\(number / 2)"))
    }

    static func delivery(
        of asset: Asset, _ content: ContentKey, _ bytes: LocalFile, to target: PlannedTarget,
        _ dice: inout SeededRandomNumbers
    ) -> Delivery {
        let id = Delivery.ID(content: content, target: target.identity)
        let rendition =
            dice.below(100) < 8 ? LocalFile(path: bytes.path + target.name, size: 1, ownership: .staged) : nil
        let job = UploadJob(
            asset: asset, file: rendition ?? bytes, digests: Digests(sha256: content.rawValue), path: asset.origin.name,
            name: asset.origin.name, values: TemplateValues(), mayTake: rendition == nil || target.isLocal)
        var delivery = Delivery(id: id, job: job, target: target, since: 1, listeners: [asset.id])
        delivery.isUnasked = dice.below(100) < 10
        if dice.below(100) < 20 {
            delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: content.rawValue, camera: nil)
            delivery.verdict = dice.below(100) < 60 ? .waits(MarkRule.notPicked) : .takes
        }
        delivery.rendition = rendition
        return delivery
    }

    static func failure(_ dice: inout SeededRandomNumbers) -> IngestError {
        let codes: [IngestError.Code] = [
            .network, .network, .unavailable, .rejected, .corruptData, .corruptData, .nameTaken, .unauthorized,
            .storageFull, .cancelled, .accessDenied, .unexpected,
        ]
        if dice.below(100) < 5 { return IngestError(.unavailable, "no disk", cause: LostBytes()) }
        if dice.below(100) < 5 { return IngestError(.unavailable, "ill", cause: ServiceOutage()) }
        let asked: Duration? = dice.below(100) < 10 ? .seconds(5) : nil
        return IngestError(codes[dice.below(codes.count)], "no", retryAfter: asked)
    }
}
