import FileKit
package import FilmgateCore

/// Puts the files of a listing together to shots: those of one shot follow each other, its primary first, shots in card
/// order.
package struct ShotBuilder {
    private let card: Card, listing: Listing, trees: TreeFinder, classifier: Classifier
    private var entries: [SourceEntry] = []
    private var last = (folder: -1, stem: "", key: "")
    /// Files whose name points to a shot that may or may not be there.
    private var hopeful: [(index: Int, keys: [String])] = []

    /// `hidden` = also take what begins with a dot.
    package init(_ card: Card, _ listing: Listing, hidden: Bool) {
        (self.card, self.listing) = (card, listing)
        (trees, classifier) = (TreeFinder(listing, card), Classifier(hidden: hidden))
    }

    /// Every item of the listing once.
    ///
    /// `alsoThere` = keys of shots that were handed on before: a memo that comes later still finds its picture.
    package mutating func build(alsoThere: Set<String> = []) -> [SourceEntry] {
        let homes = listing.folders.map { $0.path.isEmpty ? card.volumePrefix : card.volumePath($0.path) + "/" }
        var inTrees: [(index: Int, tree: ClipTree)] = []
        entries.reserveCapacity(listing.items.count)
        for item in listing.items {
            let tree = trees.tree(of: item)
            if let tree { inTrees.append((entries.count, tree)) }
            add(item, in: tree, home: homes[item.folder])
        }
        nameClips(inTrees)
        putClipsFirst(inTrees.map(\.index))
        settleHopeful(alsoThere)
        return grouped()
    }

    private mutating func add(_ item: Listing.Item, in tree: ClipTree?, home: String) {
        var name = FileName(item.entry.name)
        let promised = MediaKind(name), ext = name.ext
        let (kind, fate) = classifier.verdict(on: item.entry, promised: promised, in: tree)
        let origin = card.origin(of: item.entry)
        guard fate == .take else {
            entries.append(
                SourceEntry(origin: origin, kind: kind, shot: place(item.entry.name, home: home), fate: fate))
            return
        }
        var shot = ShotPlace(key: "", stem: name.stem)
        if kind == .sidecar, tree == nil {
            let inner = FileName(name.stem), pictured = MediaKind(inner)
            if pictured != .other, pictured != .sidecar {
                (name, shot.stem, shot.sidecarOf) = (inner, inner.stem, inner.ext)
            }
        }
        let stem = SafeName.folded(name.stem)
        if let tree {
            shot.innerPath = tree.innerPath(item.entry.path)
        } else {
            shot.key = key(stem, home: home, folder: item.folder)
            follow(stem, kind: kind, ext: ext, home: home, &shot)
        }
        var entry = SourceEntry(origin: origin, kind: kind, shot: shot, fate: fate)
        entry.isProtected = item.entry.isReadOnly
        entries.append(entry)
    }

    /// Neighbours mostly belong together: they share one string.
    private mutating func key(_ stem: String, home: String, folder: Int) -> String {
        if folder != last.folder || stem != last.stem { last = (folder, stem, home + stem) }
        return last.key
    }

    /// What is not taken is a shot of its own, under its whole name.
    private func place(_ name: String, home: String) -> ShotPlace {
        ShotPlace(key: home + SafeName.folded(name), stem: FileName(name).stem)
    }

    private mutating func follow(_ stem: String, kind: MediaKind, ext: String, home: String, _ shot: inout ShotPlace) {
        let rules = NameRule.candidates(stem.utf8.first, kind)
        if rules.isEmpty { return }
        let ext = ext.lowercased()
        for rule in rules {
            let shots = rule.shots(of: stem, kind: kind, ext: ext)
            if shots.isEmpty { continue }
            if rule.onlyIfThere {
                hopeful.append((entries.count, shots.map { home + $0 }))
            } else {
                shot.key = home + shots[0]
            }
            return
        }
    }

    private mutating func nameClips(_ inTrees: [(index: Int, tree: ClipTree)]) {
        var clips: [String: Set<String>] = [:]
        for (index, tree) in inTrees where !entries[index].kind.follows && entries[index].fate == .take {
            clips[tree.home, default: []].insert(SafeName.folded(entries[index].shot.stem))
        }
        for (index, tree) in inTrees where entries[index].fate == .take {
            let stem = SafeName.folded(entries[index].shot.stem)
            entries[index].shot.key = tree.key(
                of: entries[index].origin.path, stem: stem, clips: clips[tree.home] ?? [])
        }
    }

    /// Where the trees of a card go is said by their first clip: it comes before what belongs to no clip, such as an
    /// index.
    private mutating func putClipsFirst(_ inTrees: [Int]) {
        let places = Dictionary(grouping: inTrees) { index in
            let entry = entries[index]
            return String(Substring(entry.origin.volumePath.utf8.dropLast(entry.shot.innerPath?.utf8.count ?? 0)))
        }
        for indices in places.values {
            let clips = Set(
                indices.filter { !entries[$0].kind.follows && entries[$0].fate == .take }.map { entries[$0].shot.key })
            let (first, last) = (
                indices.filter { clips.contains(entries[$0].shot.key) },
                indices.filter { !clips.contains(entries[$0].shot.key) }
            )
            guard first + last != indices else { continue }
            for (index, entry) in zip(indices, (first + last).map { entries[$0] }) { entries[index] = entry }
        }
    }

    private mutating func settleHopeful(_ alsoThere: Set<String>) {
        if hopeful.isEmpty { return }
        let there = Set(entries.lazy.filter { !$0.kind.follows && $0.fate == .take }.map(\.shot.key)).union(alsoThere)
        for (index, keys) in hopeful {
            if let key = keys.first(where: there.contains) { entries[index].shot.key = key }
        }
    }

    private mutating func grouped() -> [SourceEntry] {
        let order = ShotOrder(entries.lazy.map(\.shot.key), ranks: entries.map(\.kind.rank))
        for (first, member) in order.members
        where entries[member].shot.key != entries[first].shot.key
            || entries[member].shot.stem != entries[first].shot.stem
        {
            (entries[member].shot.key, entries[member].shot.stem) = (entries[first].shot.key, entries[first].shot.stem)
        }
        return order.isUnchanged ? entries : order.indices.map { entries[$0] }
    }
}
