import FilmgateCore

/// Files that a stage made to lie beside an asset, as assets of their own: they are named, delivered and remembered
/// like any other.
enum Companions {
    /// Takes them from what passed; each goes where its asset goes, as far as it is meant to.
    static func take(from passed: inout [Passed]) -> [Passed] {
        var made: [Passed] = []
        for index in passed.indices {
            let owner = passed[index].asset
            passed[index].asset.companions = []
            guard case .deliver(let targets) = passed[index].decision else {
                discard(owner)
                continue
            }
            for companion in owner.companions {
                let asset = asset(companion, beside: owner)
                made.append(
                    Passed(
                        asset: asset, decision: .deliver(to: targets.filter(companion.targets.contains)),
                        standing: passed[index].standing))
            }
        }
        return made
    }

    private static func asset(_ companion: Companion, beside owner: Asset) -> Asset {
        let origin = owner.origin, file = companion.rendition.file
        func beside(_ path: String) -> String {
            path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) + companion.name } ?? companion.name
        }
        let place = Origin(
            source: origin.source, volume: origin.volume, root: origin.root, path: beside(origin.path), size: file.size,
            modified: origin.modified, volumePath: beside(origin.volumePath))
        let shot = ShotPlace(key: owner.shot.key, stem: owner.shot.stem, sidecarOf: companion.sidecarOf)
        var asset = Asset(origin: place, kind: companion.kind, shot: shot)
        (asset.file, asset.digests, asset.flags) = (file, companion.rendition.digests, [AssetFlag.made])
        return asset
    }

    /// Removes what was made for an asset that goes nowhere.
    static func discard(_ asset: Asset) {
        for rendition in asset.renditions.values + asset.companions.map(\.rendition) { rendition.file.discard() }
    }
}
