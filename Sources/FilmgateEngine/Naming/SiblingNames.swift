import FilmgateCore

/// Who has the names beside one: a shot is together where its files differ in nothing but their extensions.
///
/// Names of other programs are not seen here: a target is asked about whole names only.
struct SiblingNames: Sendable {
    let ledger: any LedgerReader
    let reservations: NameReservations

    enum Sibling: Sendable {
        case nobody
        /// A picture of the same shot is there.
        case own
        /// Sidecars or memos of the same shot are there, and no picture of it: a picture would do well to join them,
        /// but need not.
        case ownFollowers
        /// Files of another shot are: nobody could tell which of them belong together.
        case strangers
        /// Files that may be of the same frame: RAW and JPEG on two cards of one body.
        case perhapsOwn

        /// Files of the same shot, whatever they are.
        var isOwn: Bool { self == .own || self == .ownFollowers }
    }

    /// Who is called `stem` but for the extension; `contents` are those that look for a name themselves.
    ///
    /// With `shot` that of a sidecar or memo, only its own picture is company: what it says would be taken for
    /// another's. Who is only meant to have such a name counts where nobody has one: it is asked about later, and then
    /// goes elsewhere if it must.
    func company(
        of stem: String, at target: String, for shot: ShotIdentity, but contents: Set<ContentKey>
    ) async throws(IngestError) -> Sibling {
        var shots: [ContentKey: [ShotIdentity]] = [:], wishes: Set<ContentKey> = []
        // Before the ledger is asked: what becomes final meanwhile is written down first, and then given back here.
        let given = reservations.files(named: stem, at: target)
        for file in try await ledger.files(named: stem, at: target) {
            shots[file.content, default: []].append(ShotIdentity(file))
            if file.isWish { wishes.insert(file.content) }
        }
        for file in given {
            shots[file.content, default: []].append(file.shot)
            wishes.remove(file.content)
        }
        for content in contents { shots[content] = nil }
        // A sidecar whose picture came later was recorded anew with it: its file is found by its bytes alone.
        for (content, known) in shots where known.allSatisfy(\.isUnknown) {
            shots[content] = known + (try await ledger.assets(sha256: content.sha256)).map { ShotIdentity($0) }
        }
        let standing = shots.filter { !wishes.contains($0.key) }
        return Self.company(Array((standing.isEmpty ? shots : standing).values), for: shot)
    }

    /// `files`: for each of those that are there, the shots that it may be of.
    private static func company(_ files: [[ShotIdentity]], for shot: ShotIdentity) -> Sibling {
        if files.isEmpty { return .nobody }
        let own = files.filter { $0.contains { $0.isOne(with: shot) } }
        if !own.isEmpty { return own.contains { $0.contains { !$0.follows } } ? .own : .ownFollowers }
        // A sidecar or memo says something of its own picture alone, and a picture must not come to one of another's.
        let pictures = files.filter { $0.contains { !$0.follows } }, shots = pictures.flatMap { $0 }
        let isLonely = files.contains { known in
            known.allSatisfy(\.follows) && !shots.contains { picture in known.contains { $0.isOne(with: picture) } }
        }
        if shot.follows || isLonely { return .strangers }
        return pictures.contains { $0.allSatisfy { $0.isOther(than: shot) } } ? .strangers : .perhapsOwn
    }

    /// Whether `asset` may have that name, by what we know without asking the target.
    ///
    /// It may where nobody has the name whom it must be left to. `mine`: which of the files that are named together has
    /// it. With `isHome`, where files of the shot are, what others only wish for counts as free.
    func isFree(
        _ path: String, for asset: Asset, with content: ContentKey, at target: String, mine: ContentKey?, isHome: Bool
    ) async throws(IngestError) -> Bool {
        let other = mine ?? reservations.holder(of: path, at: target)
        // A folder may tell names apart that are one on the disk that it is copied to; and what waits for its event, or
        // was removed since, stands nowhere but in the ledger.
        let earlier = try await ledger.holder(of: path, at: target)
        for holder in [other, earlier].compactMap({ $0 }) where asset.mustLeave(to: holder, with: content) {
            guard isHome, mine == nil, try await isWish(path, of: holder, at: target) else { return false }
        }
        return true
    }

    /// True where `content` is only meant to have that name: its target was not asked yet, and is before anything is
    /// sent there.
    private func isWish(_ path: String, of content: ContentKey, at target: String) async throws(IngestError) -> Bool {
        let folded = SafeName.folded(path), row = try await ledger.deliveries(of: content).first { $0.target == target }
        return row.map { $0.attempts == DeliveryRow.unasked && SafeName.folded($0.path) == folded } ?? false
    }

    /// What the shot is called at the target by what was given or written down before; nil for nothing.
    ///
    /// Two shots of one place and stem are told apart by their time: a formatted card counts anew.
    func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? {
        let place = NamePlanner.shotPlace(shot)
        let known = reservations.shotNames(below: place, at: target, event: event)
        if let name = Self.nearest(shot, place, known) { return name }
        return try await writtenName(shot, at: target, event: event)
    }

    /// The same by what was written down alone.
    func writtenName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? {
        let place = NamePlanner.shotPlace(shot)
        return Self.nearest(shot, place, try await ledger.shotNames(below: place, at: target, event: event))
    }

    private static func nearest(_ shot: String, _ place: String, _ names: [(shot: String, name: ShotName)]) -> ShotName?
    {
        if names.isEmpty { return nil }
        if let same = names.first(where: { $0.shot == shot }) { return same.name }
        func time(_ key: String) -> Int64? { CivilTime(String(key.dropFirst(place.count)))?.civilSeconds }
        guard let mine = time(shot) else { return names.first?.name }
        return names.first { one in time(one.shot).map { abs($0 - mine) <= 2 } ?? true }?.name
    }
}
