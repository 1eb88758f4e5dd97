import FileKit
import FilmgateCore
import FilmgateLedger
import PreviewKit

/// Where the bytes of a file may lie on this machine, as the ledger wrote it down: nothing that a browser says is part
/// of it.
enum PictureFiles {
    /// The copies in folders, what waits to be sent, and the card or folder that it came from.
    static func sources(of row: AssetRow, _ deliveries: [DeliveryRow]) -> [PreviewSource] {
        var sources = deliveries.filter { $0.receipt.state == .done && $0.target.hasPrefix("folder:") }.compactMap(copy)
        for delivery in deliveries {
            guard let file = delivery.file, file.hasPrefix("/") else { continue }
            sources.append(PreviewSource(root: Paths.folder(file), path: Paths.name(file), size: delivery.size))
        }
        // Cameras have no path on this machine. A card that was formatted may have another picture by the same name.
        if row.origin.root.hasPrefix("/") {
            let origin = row.origin
            sources.append(
                PreviewSource(root: origin.root, path: origin.path, size: origin.size, modified: origin.modified))
        }
        return sources
    }

    private static func copy(_ delivery: DeliveryRow) -> PreviewSource? {
        guard let path = delivery.receipt.path, path.hasPrefix("/") else { return nil }
        let below = "/" + delivery.path
        guard !delivery.path.isEmpty, path.hasSuffix(below) else {
            return PreviewSource(root: Paths.folder(path), path: Paths.name(path), size: delivery.size)
        }
        let root = path.dropLast(below.count)
        return PreviewSource(root: root.isEmpty ? "/" : String(root), path: delivery.path, size: delivery.size)
    }
}
