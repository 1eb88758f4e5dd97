import FilmgateCore
import Synchronization

/// What the clip trees of one open source are named by.
///
/// Players and editors need a tree whole and in place, so one clip speaks for all files of it: the first that was
/// delivered before, else the first that comes.
final class ClipTreeNames: Sendable {
    /// The folder around the trees of one card, on its volume: what lies beside each other stays beside each other.
    struct Place: Hashable, Sendable {
        let text: String

        /// Nil for a file that lies in no tree.
        init?(_ origin: Origin, _ shot: ShotPlace) {
            guard let inner = shot.innerPath else { return nil }
            text = origin.volume + "\u{1F}" + String(Substring(origin.volumePath.utf8.dropLast(inner.utf8.count)))
        }
    }

    private struct Tree {
        var lead: Asset
        var isRemembered: Bool
        var values: TemplateValues?
        /// By target's identity.
        var names: [String: ShotName] = [:]
    }
    private let trees: Mutex<[Place: Tree]>

    /// `listing` tells which clips were delivered before.
    init(_ listing: IntakeListing? = nil) {
        var known: [Place: Tree] = [:]
        if let listing {
            for entry in listing.clips {
                guard let place = Place(entry.origin, entry.shot), known[place] == nil,
                    let clip = listing.remembered(entry)
                else {
                    continue
                }
                known[place] = Tree(lead: clip, isRemembered: true)
            }
        }
        trees = Mutex(known)
    }

    /// A shot of the tree is placed; its clip speaks for the tree where none did before.
    func begin(_ place: Place, _ lead: Asset?) {
        guard let lead, !lead.kind.follows else { return }
        trees.withLock { trees in
            if trees[place] == nil { trees[place] = Tree(lead: lead, isRemembered: false) }
        }
    }

    func lead(_ place: Place) -> (asset: Asset, isRemembered: Bool)? {
        trees.withLock { trees in trees[place].map { ($0.lead, $0.isRemembered) } }
    }

    func values(_ place: Place) -> TemplateValues? { trees.withLock { $0[place]?.values } }

    func keep(_ values: TemplateValues, _ place: Place) { trees.withLock { $0[place]?.values = values } }

    func name(_ place: Place, at target: String) -> ShotName? { trees.withLock { $0[place]?.names[target] } }

    /// The first name holds: a file that was changed on the card does not take those after it with it.
    func keep(_ name: ShotName, _ place: Place, at target: String) {
        trees.withLock { trees in
            if trees[place]?.names[target] == nil { trees[place]?.names[target] = name }
        }
    }
}

extension Asset {
    /// For what belongs to no clip of its tree, such as an index: its place in the tree of `clip`, the one that names
    /// it, is part of what it is.
    ///
    /// Cards that were formatted alike have indexes of the same bytes, and so have indexes that are still empty; each
    /// belongs into its own place. What stages found of equal bytes elsewhere is no delivery of this one.
    mutating func joinTree(of clip: Asset?) {
        guard kind == .sidecar, let inner = shot.innerPath else { return }
        if beside == nil, let clip, !clip.kind.follows, let digest = clip.digests?.sha256 {
            beside = "\(digest):\(inner)"
        }
        if beside != nil { (earlier, twin) = (nil, nil) }
    }

    /// What a delivery of it is about, beside the primary of its shot; nil before its bytes were read.
    func content(beside lead: Asset?) -> ContentKey? {
        guard let digests else { return nil }
        let shot = Shot(key: shot.key, assets: [self], remembered: lead)
        return treeContent ?? shot.content(of: self) ?? ContentKey(sha256: digests.sha256)
    }

    /// What a delivery of an index is about; nil for anything else.
    var treeContent: ContentKey? {
        guard kind == .sidecar, shot.innerPath != nil, let beside, let digests else { return nil }
        return ContentKey(sha256: digests.sha256, beside: beside)
    }

    /// Whether a name that was given to `other` cannot be that of this file, whose delivery is about `content`.
    ///
    /// The clip that names a tree may be deleted on the card: its index is then another one's, and still the same file
    /// in its place. So is a sidecar that came before its picture, where no other shot has the name.
    func mustLeave(to other: ContentKey, with content: ContentKey) -> Bool {
        if other == content { return false }
        let isSameFile =
            kind == .sidecar && (shot.innerPath == nil || treeContent != nil) && other.sha256 == content.sha256
        return !isSameFile
    }
}

extension NamePlanner {
    /// What the folder of a clip tree is filled in with; nil before any clip of it came.
    func treeValues(_ place: ClipTreeNames.Place) async throws(IngestError) -> TemplateValues? {
        if let values = trees.values(place) { return values }
        guard let lead = trees.lead(place)?.asset else { return nil }
        let profile = try await bodies.resolve(lead.media ?? MediaFacts(), lead.kind, profiles, ledger)
        let named = NamingPrimary(lead, among: [], profile: profile)
        let values = shotValues(profile).values(for: lead, primary: nil, captured: named.time, counter: nil)
        trees.keep(values, place)
        return values
    }
}
