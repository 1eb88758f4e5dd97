import CardSource
import FileKit
import FilmgateCore
import FilmgateEngine
import Synchronization

/// Pictures that an import leaves where they lie because of a name: that of junk, of what a camera keeps for itself, or
/// of a folder that is not looked into, such as a trash.
///
/// Their bytes say what they are, as for `safe-to-format`, which also finds out whether they have a copy.
final class HiddenPictures: Sendable {
    private let left = Mutex<Set<Origin>>([])
    /// Not an editing program's previews: there are several of each picture.
    private static let reasons = ["junk:", "housekeeping: the camera", "hidden:"]
    /// Of a card with more than these, the rest is left to `safe-to-format`.
    private static let mostPlaces = 20_000, mostPictures = 1000, mostFiles = 20_000, named = 3
    /// What the Mac writes beside each file of a card that it touches: not opened, since a card may have thousands.
    private static let attributesSize: UInt64 = 4096

    /// What an asset's ending says of it; cheap.
    func note(_ settled: AssetResult) {
        let origin = settled.asset.origin
        guard settled.ending == .filtered, origin.root.hasPrefix("/"), let reason = settled.reason,
            Self.reasons.contains(where: reason.hasPrefix), !SafeName.isOwnFolder(origin.name),
            origin.size != Self.attributesSize
        else { return }
        left.withLock { if $0.count < Self.mostPlaces { $0.insert(origin) } }
    }

    /// What to say of those that were noted since the last time: how many are pictures, and what to do.
    ///
    /// A card that gives no answer any more, or was taken out, is not waited for.
    func remarks() async -> [String] {
        let origins = left.withLock { left in
            defer { left = [] }
            return left
        }
        let check = OriginalCheck()
        var found = Found()
        for (root, places) in Dictionary(grouping: origins, by: \.root).sorted(by: { $0.key < $1.key }) {
            let sorted = places.sorted { $0.path < $1.path }
            if let one = await check.answer(at: root, { Self.look(at: sorted) }) { found.add(one) }
        }
        return found.remarks
    }

    private struct Found: Sendable {
        /// Pictures whose own names say junk.
        var files: [String] = []
        /// Pictures in folders that are not looked into, and their size.
        var inFolders: [String] = [], size: UInt64 = 0

        mutating func add(_ other: Found) {
            (files, inFolders, size) = (
                files + other.files, inFolders + other.inFolders, size.addingClamped(other.size)
            )
        }

        var remarks: [String] {
            var lines: [String] = []
            if !files.isEmpty {
                let (count, names, one) = Self.told(files)
                lines.append(
                    "left: \(count) under names of junk: \(names). Rename \(one ? "it" : "them") (`mv`) to what "
                        + "\(one ? "it is" : "they are"), and import again.")
            }
            if !inFolders.isEmpty {
                let (count, names, one) = Self.told(inFolders)
                lines.append(
                    "left: \(count), \(Describe.bytes(size)), in folders that are not looked into: \(names). "
                        + "Move what you want of \(one ? "it" : "them") out of there (`mv`), and import again.")
            }
            return lines
        }

        private static func told(_ paths: [String]) -> (count: String, names: String, isOne: Bool) {
            let names = paths.prefix(HiddenPictures.named).map(Describe.name).joined(separator: ", ")
            let more = paths.count > HiddenPictures.named ? " …" : ""
            let least = paths.count >= HiddenPictures.mostPictures ? " or more" : ""
            return (
                paths.count == 1 ? "1 picture" : "\(paths.count)\(least) pictures", names + more, paths.count == 1
            )
        }
    }

    /// Blocks for the card.
    private static func look(at places: [Origin]) -> Found {
        var found = Found(), files = mostFiles
        for origin in places where found.files.count < mostPictures {
            let path = origin.absolutePath
            switch ((try? FileFacts.of(path)) ?? nil)?.kind {
            case .regular: if isPicture(path) { found.files.append(origin.path) }
            case .directory: look(into: origin, &found, &files)
            case .link, .other, nil: break
            }
        }
        return found
    }

    private static func look(into folder: Origin, _ found: inout Found, _ files: inout Int) {
        let path = folder.absolutePath
        _ = Result { () throws(IngestError) in
            try DirectoryScan(root: path).run { entry in
                guard files > 0, found.inFolders.count < mostPictures else { return .stop }
                guard entry.type == .file, entry.size > 0, entry.size != attributesSize else { return .proceed }
                files -= 1
                if isPicture(Paths.join(path, entry.path)) {
                    found.inFolders.append(Paths.join(folder.path, entry.path))
                    found.size = found.size.addingClamped(entry.size)
                }
                return .proceed
            }
        }
    }

    /// A picture, clip or sound by its first bytes; nobody can tell: no.
    private static func isPicture(_ path: String) -> Bool {
        let looked = Result { () throws(IngestError) in try CardSource.disguise(of: path) }
        return (try? looked.get()) != nil
    }
}
