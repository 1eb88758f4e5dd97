import FileKit
import FilmgateCore

/// Finds the clip trees of a listing.
struct TreeFinder {
    /// Index into `trees` for each folder of the listing; nil = in none.
    private(set) var treeOfFolder: [Int?] = []
    private(set) var trees: [ClipTree] = []
    /// Folders whose members form an open tree, and that tree.
    private var openTrees: [Int: Int] = [:]
    private let card: Card

    init(_ listing: Listing, _ card: Card) {
        self.card = card
        let hints = Self.hints(listing)
        treeOfFolder.reserveCapacity(listing.folders.count)
        for (index, folder) in listing.folders.enumerated() {
            if folder.parent >= 0, let tree = treeOfFolder[folder.parent] {
                treeOfFolder.append(tree)
            } else {
                treeOfFolder.append(find(index, folder, listing, hints))
            }
        }
    }

    /// The tree that an item belongs to.
    func tree(of item: Listing.Item) -> ClipTree? {
        if let tree = treeOfFolder[item.folder] { return trees[tree] }
        guard let open = openTrees[item.folder], ClipTreeKind.openMembers.contains(SafeName.folded(item.entry.name))
        else { return nil }
        return trees[open]
    }

    /// Case-folded names inside the folders that could be a tree's root.
    private static func hints(_ listing: Listing) -> [Int: Set<String>] {
        var wanted: [Int: Set<String>] = [:]
        for (index, folder) in listing.folders.enumerated() {
            let name = SafeName.folded(folder.name)
            if ClipTreeKind.all.contains(where: { !$0.evidence.isEmpty && $0.isNamed(name) }) { wanted[index] = [] }
            if name == ClipTreeKind.openName, folder.parent >= 0 { wanted[folder.parent] = [] }
        }
        if wanted.isEmpty { return [:] }
        for folder in listing.folders where wanted[folder.parent] != nil {
            wanted[folder.parent]?.insert(SafeName.folded(folder.name))
        }
        for item in listing.items where wanted[item.folder] != nil {
            wanted[item.folder]?.insert(SafeName.folded(item.entry.name))
        }
        return wanted
    }

    private mutating func find(
        _ index: Int, _ folder: Listing.Folder, _ listing: Listing, _ hints: [Int: Set<String>]
    ) -> Int? {
        let name = SafeName.folded(folder.name)
        if folder.parent < 0, let tree = treeAround(card.root) { return add(tree) }
        let parent = folder.parent < 0 ? Paths.name(Paths.folder(card.root)) : listing.folders[folder.parent].name
        let kind = ClipTreeKind.all.first {
            $0.isNamed(name) && ($0.parent == nil || $0.parent == SafeName.folded(parent))
                && ($0.evidence.isEmpty || !$0.evidence.isDisjoint(with: hints[index] ?? []))
        }
        if let kind {
            let cut = folder.path.utf8.count - (folder.parent < 0 ? 0 : folder.name.utf8.count)
            let above = folder.parent < 0 ? folder.name + "/" : ""
            return add(ClipTree(kind: kind, name: folder.name, cut: cut, above: above, home: home(of: folder.path)))
        }
        return openTree(folder, listing, hints)
    }

    /// `CLIP` beside what only a disc's layout has; its brothers join the same tree.
    private mutating func openTree(_ folder: Listing.Folder, _ listing: Listing, _ hints: [Int: Set<String>]) -> Int? {
        guard folder.parent >= 0, ClipTreeKind.openMembers.contains(SafeName.folded(folder.name)) else { return nil }
        if let known = openTrees[folder.parent] { return known }
        guard let brothers = hints[folder.parent], brothers.contains(ClipTreeKind.openName),
            !brothers.isDisjoint(with: ClipTreeKind.openEvidence)
        else { return nil }
        let above = listing.folders[folder.parent].path
        let cut = above.isEmpty ? 0 : above.utf8.count + 1
        let tree = add(ClipTree(kind: .open, name: "CLIP", cut: cut, home: home(of: above) + "clip/"))
        openTrees[folder.parent] = tree
        return tree
    }

    private mutating func add(_ tree: ClipTree) -> Int {
        trees.append(tree)
        return trees.count - 1
    }

    private func home(of folder: String) -> String {
        folder.isEmpty ? card.volumePrefix : card.volumePath(folder) + "/"
    }

    /// The tree in whose middle the place was opened; the folder below its root is the evidence then.
    private func treeAround(_ root: String) -> ClipTree? {
        let parts = root.utf8.split(separator: 0x2F).map { String(Substring($0)) }
        let folded = parts.map(SafeName.folded)
        for (index, name) in folded.dropLast().enumerated() {
            let kind = ClipTreeKind.all.first {
                $0.isNamed(name)
                    && ($0.evidence.isEmpty
                        || $0.evidence.union(["clip", "proxy", "voice"]).contains(folded[index + 1]))
                    && ($0.parent == nil || (index > 0 && $0.parent == folded[index - 1]))
            }
            guard let kind else { continue }
            let above = parts[index...].joined(separator: "/") + "/"
            let home = String(
                Substring(card.volumePrefix.utf8.dropLast(above.utf8.count - parts[index].utf8.count - 1)))
            return ClipTree(kind: kind, name: parts[index], above: above, home: home)
        }
        return nil
    }
}
