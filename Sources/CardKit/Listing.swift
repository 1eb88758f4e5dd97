package import FileKit
package import FilmgateCore

/// What a walk over a card found: folders, and everything else with the folder that holds it, in card order.
package struct Listing {
    package struct Folder { var path: String, name: String, parent: Int }
    package struct Item { package var entry: ScanEntry, folder: Int }

    /// The first is the place that was opened, with an empty path.
    package private(set) var folders: [Folder]
    package private(set) var items: [Item]

    /// Reads folders, never files.
    ///
    /// Blocks for the disk. Throws when the place itself cannot be read, or `cancelled`.
    package init(
        _ card: Card, only names: Set<String>?, hidden: Bool, isMountPoint: (String) -> Bool, cancelled: () -> Bool
    ) throws(IngestError) {
        let found = try Self.walk(card, only: names, hidden: hidden, isMountPoint: isMountPoint, cancelled: cancelled)
        (folders, items) = (found.folders, found.items)
    }

    // Not in the initializer: with properties that are set before the walk, Swift 6.3's optimizer frees `folders` too
    // early.
    private static func walk(
        _ card: Card, only names: Set<String>?, hidden: Bool, isMountPoint: (String) -> Bool, cancelled: () -> Bool
    ) throws(IngestError) -> (folders: [Folder], items: [Item]) {
        // The folder that is being gone through at each depth.
        var open = [0], folders = [Folder(path: "", name: Paths.name(card.root), parent: -1)], items: [Item] = []
        var wasCancelled = false
        try DirectoryScan(root: card.root).run { entry in
            if cancelled() {
                wasCancelled = true
                return .stop
            }
            let folder = open[min(entry.depth, open.count - 1)]
            if entry.path.isEmpty {
                var place = entry
                (place.path, place.name) = (".", ".")
                items.append(Item(entry: place, folder: folder))
                return .proceed
            }
            if let names {
                if names.contains(entry.name) { items.append(Item(entry: entry, folder: folder)) }
                return .skip
            }
            guard entry.type == .folder, entry.problem == nil else {
                items.append(Item(entry: entry, folder: folder))
                return .proceed
            }
            let step = Self.step(into: entry, of: card, hidden: hidden, isMountPoint: isMountPoint)
            if step == .skip {
                items.append(Item(entry: entry, folder: folder))
            } else {
                folders.append(Folder(path: entry.path, name: entry.name, parent: folder))
                open.replaceSubrange((entry.depth + 1)..., with: [folders.count - 1])
            }
            return step
        }
        if wasCancelled { throw IngestError(.cancelled, "Stopped while listing \(PathText.shown(card.root)).") }
        return (folders, items)
    }

    /// Of files that are known already, in this order; their folders are taken from their paths.
    package init(_ card: Card, files: [ScanEntry]) {
        var folders = [Folder(path: "", name: Paths.name(card.root), parent: -1)], items: [Item] = []
        var known: [[UInt8]: Int] = [[]: 0]
        for entry in files {
            var folder = 0, path: [UInt8] = []
            for part in entry.path.utf8.split(separator: 0x2F).dropLast() {
                path += (path.isEmpty ? [] : [0x2F]) + Array(part)
                if let there = known[path] {
                    folder = there
                } else {
                    folders.append(
                        Folder(
                            path: String(decoding: path, as: UTF8.self), name: String(Substring(part)), parent: folder))
                    folder = folders.count - 1
                    known[path] = folder
                }
            }
            items.append(Item(entry: entry, folder: folder))
        }
        (self.folders, self.items) = (folders, items)
    }

    /// Another file system below the card is left alone; a subvolume of the same one is no mount point and is entered.
    private static func step(
        into entry: ScanEntry, of card: Card, hidden: Bool, isMountPoint: (String) -> Bool
    ) -> ScanStep {
        if Junk.reason(entry.name, isFolder: true) != nil || (!hidden && entry.name.utf8.first == 0x2E) { return .skip }
        guard entry.isBoundary else { return .proceed }
        return isMountPoint(Paths.join(card.root, entry.path)) ? .skip : .cross
    }
}
