public import FilmgateCore

extension Collection<QueuedDelivery> {
    /// These contents, and what waits for an event together with them: RAW and JPEG of one shot, and the sidecars and
    /// memos of these pictures.
    ///
    /// A shot has one event, and nobody chooses its sidecar by itself.
    public func wholeShots(of contents: Set<ContentKey>) -> Set<ContentKey> { WaitingShots(self).whole(contents) }
}

/// What waits for an event, shot by shot.
private struct WaitingShots {
    private struct File {
        var content: ContentKey, asset: AssetRow, shot: ShotIdentity
        /// When it was first to be delivered; the time of its row is when that was written last.
        var since: Int64

        init(_ one: QueuedDelivery) {
            (content, asset, shot) = (one.delivery.content, one.asset, ShotIdentity(one.asset))
            since = one.delivery.receipt.at
        }

        var name: String { SafeName.folded(asset.origin.name) }

        /// Another frame's has the same name there, or is of another body or moment.
        func isOne(with other: File) -> Bool { name != other.name && shot.isOne(with: other.shot) }
    }
    /// Where the files of a shot lie, whatever moment they were taken at.
    private struct Place: Hashable {
        let volume: String, key: String
        init(_ file: File) { (volume, key) = (file.asset.origin.volume, file.asset.shot.key) }
    }

    /// The pictures of each shot; and the numbers of the shots that lie in one place, and of each picture's.
    private var shots: [[File]] = [], byPlace: [Place: [Int]] = [:], byPicture: [String: Int] = [:]
    private var followers: [File] = []

    init(_ waiting: some Collection<QueuedDelivery>) {
        var files: [ContentKey: File] = [:]
        for one in waiting where one.delivery.isUnassigned {
            let file = File(one), known = files[file.content]
            if known.map({ file.since < $0.since }) ?? true { files[file.content] = file }
        }
        followers = files.values.filter(\.asset.kind.follows)
        // Those that say when they were taken tell shots of one name apart; the others join the nearest.
        let pictures = files.values.filter { !$0.asset.kind.follows }.sorted { one, other in
            (one.shot.isTimed ? 0 : 1, one.since, one.content.rawValue)
                < (other.shot.isTimed ? 0 : 1, other.since, other.content.rawValue)
        }
        for picture in pictures { add(picture) }
    }

    private mutating func add(_ picture: File) {
        let place = Place(picture)
        let known = (byPlace[place] ?? []).filter { number in shots[number].allSatisfy { $0.isOne(with: picture) } }
        let number = nearest(to: picture, among: known) ?? shots.count
        if number == shots.count {
            shots.append([])
            byPlace[place, default: []].append(number)
        }
        shots[number].append(picture)
        byPicture[picture.content.sha256] = number
    }

    /// The shot of which a file came in the same run, or else at the nearest time.
    private func nearest(to file: File, among numbers: [Int]) -> Int? {
        var best: (number: Int, runs: Int, time: UInt64)?
        for number in numbers {
            for one in shots[number] {
                let runs = one.asset.run == file.asset.run ? 0 : 1, time = (one.since - file.since).magnitude
                if let best, (best.runs, best.time) <= (runs, time) { continue }
                best = (number, runs, time)
            }
        }
        return best?.number
    }

    /// The number of the shot that a sidecar or memo is of.
    private func shot(of follower: File) -> Int? {
        if let picture = follower.content.beside, let number = byPicture[picture] { return number }
        let near = (byPlace[Place(follower)] ?? []).filter { number in
            shots[number].contains { one in
                // That of a picture which waits for no event is another's, unless it came with this shot.
                one.shot.isOne(with: follower.shot)
                    && (follower.content.beside == nil || one.asset.run == follower.asset.run)
            }
        }
        return nearest(to: follower, among: near)
    }

    func whole(_ contents: Set<ContentKey>) -> Set<ContentKey> {
        var all = contents, chosen: Set<Int> = []
        for (number, shot) in shots.enumerated() where shot.contains(where: { contents.contains($0.content) }) {
            chosen.insert(number)
            all.formUnion(shot.map(\.content))
        }
        if chosen.isEmpty { return all }
        for follower in followers where shot(of: follower).map(chosen.contains) == true { all.insert(follower.content) }
        return all
    }
}
