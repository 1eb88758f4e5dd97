import FileKit
import FilmgateCore
import Synchronization

/// What the gallery holds: one folder per digest below `assets`, with the file in it under its own name.
///
/// The disk is the index: it is read once at start, an upload exists from the moment of its one rename, and what was
/// removed from the disk is not there any more. The same bytes are never stored twice. Members block for the disk.
final class GalleryStore: Sendable {
    private struct Index { var order: [String] = [], assets: [String: GalleryAsset] = [:] }
    let root: String
    private let index = Mutex(Index())

    init(_ root: String) throws(IngestError) {
        self.root = root
        try DurableFile.makeDirectories(root + "/assets", mode: 0o755)
        try DurableFile.makeDirectories(root + "/incoming", mode: 0o700)
        // Only names that it gives itself: the folder may be one that somebody has files in.
        for name in try FileSystem.names(in: root + "/incoming") where DurableFile.isPart("." + name) {
            FileSystem.remove("\(root)/incoming/\(name)")
        }
        var found: [(modified: Int64, asset: GalleryAsset)] = []
        for digest in try FileSystem.names(in: root + "/assets") where Self.isDigest(digest) {
            guard let name = try FileSystem.names(in: "\(root)/assets/\(digest)").min(),
                let facts = try FileFacts.of("\(root)/assets/\(digest)/\(name)"), facts.kind == .regular
            else { continue }
            found.append((facts.changed, GalleryAsset(sha256: digest, size: facts.size, name: name)))
        }
        for item in found.sorted(by: { ($0.modified, $0.asset.id) < ($1.modified, $1.asset.id) }) { enter(item.asset) }
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private func enter(_ asset: GalleryAsset) {
        index.withLock { index in
            if index.assets.updateValue(asset, forKey: asset.id) == nil { index.order.append(asset.id) }
        }
    }

    var count: Int { index.withLock { $0.order.count } }

    /// By id or by digest; nil also where its file is gone from the disk.
    func asset(_ key: String) -> GalleryAsset? {
        index.withLock { index in
            guard let asset = index.assets[String(key.prefix(20))], asset.id == key || asset.sha256 == key else {
                return nil
            }
            return isThere(asset, &index) ? asset : nil
        }
    }

    /// Forgets what is not on the disk as it was taken.
    private func isThere(_ asset: GalleryAsset, _ index: inout Index) -> Bool {
        let facts = try? FileFacts.of(path(of: asset))
        if facts?.kind == .regular, facts?.size == asset.size { return true }
        index.assets[asset.id] = nil
        index.order.removeAll { $0 == asset.id }
        return false
    }

    func path(of asset: GalleryAsset) -> String { "\(root)/assets/\(asset.sha256)/\(asset.name)" }

    /// Oldest first.
    func page(from start: Int, limit: Int) -> GalleryPage {
        index.withLock { index in
            let start = min(max(0, start), index.order.count)
            let end = min(index.order.count, start + min(max(1, limit), 1000))
            let assets = index.order[start..<end].compactMap { index.assets[$0] }
            return GalleryPage(assets: assets, total: index.order.count, next: end < index.order.count ? end : nil)
        }
    }

    /// A new file for what is arriving.
    func newPart() -> String { "\(root)/incoming/\(String(UInt64.random(in: 0 ... .max), radix: 16)).part" }

    /// Takes in a finished part: under its digest and name, or not at all when the bytes are here already.
    func admit(part: String, name: String, size: UInt64, sha256: String) throws(IngestError) -> GalleryAsset {
        var asset = GalleryAsset(sha256: sha256, size: size, name: SafeName.component(name))
        let folder = "\(root)/assets/\(sha256)"
        // Two uploads of the same bytes at once: only one of them may make the folder's first name.
        try index.withLock { index throws(IngestError) in
            if let twin = index.assets[asset.id], isThere(twin, &index) {
                FileSystem.remove(part)
                asset = twin
                asset.duplicate = true
                return
            }
            // What is left there of a file that is not whole any more.
            for name in (try? FileSystem.names(in: folder)) ?? [] { FileSystem.remove("\(folder)/\(name)") }
            try DurableFile.makeDirectories(folder)
            try DurableFile.publish(part: part, as: folder + "/" + asset.name)
            index.assets[asset.id] = asset
            index.order.append(asset.id)
        }
        return asset
    }
}
