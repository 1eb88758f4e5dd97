import FilmgateCore

@testable import FilmgateEngine

/// The files and the targets that the deliveries of the model are about.
extension DeliveryWorld {
    private struct Target: UploadTarget {
        var traits: TargetTraits
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }
    static let targets = [("archive", true, 2), ("backup", true, 1), ("gallery", false, 3), ("bucket", false, 2)].map {
        let traits = TargetTraits(identity: $0, localRoot: $1 ? "/" + $0 : nil, parallel: $2)
        return PlannedTarget(name: $0, target: Target(traits: traits), workers: nil)
    }
    static let assets = (0..<400).map { number in
        let origin = Origin(
            source: "card", volume: "v", root: "/card", path: "IMG_\(number).JPG", size: UInt64(number + 1), modified: 0)
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "\(number / 2)", stem: "IMG_\(number / 2)"))
    }
}
