import FilmgateCore

/// Who delivers and delivered what, by the rules of a real catalogue's tables.
struct MemoryDeliveries {
    struct Word {
        /// The identity of whoever says so.
        var station: String, state: CatalogCopy.State
        /// Whoever claimed it can neither ask nor send twice without harm.
        var isDumb = false
        /// When, by the server's clock.
        var at: Int64 = 0
    }
    /// What the catalogue has of one delivery.
    ///
    /// `before`: what stood there before the claim, such as that of a lost station; what was told of the copy stays
    /// beside it. `lost`: the claim of a lost station between this one and a word of somebody.
    private struct Row {
        var token: Int64, word: Word, before: Word? = nil, lost: Word? = nil
        var receipt: String? = nil, proof: Receipt.Proof? = nil, size: UInt64? = nil, seq: Int64 = 0
    }
    private struct Key: Hashable { var content: ContentKey, target: String }
    /// As whoever named it first said.
    private struct NamedTarget { var name: String, isShared: Bool, isDumb: Bool }

    private var rows: [Key: Row] = [:], targets: [String: NamedTarget] = [:]
    /// Whether targets can be asked or take anything twice, as the first claim said; by tables of before, that decides.
    private var settles: [String: Bool] = [:]

    mutating func forget(_ station: String) { rows = rows.filter { $0.value.word.station != station } }

    mutating func forgetClaims() { rows = rows.filter { $0.value.word.state != .claimed } }

    /// The claims of those that are there, and that are not done, by who has them.
    func claims(_ stations: MemoryStations) -> [String] {
        rows.values.filter { $0.word.state == .claimed && stations.lives($0.token) }
            .map { stations.name(of: $0.word.station) }.sorted()
    }

    // MARK: Claims

    /// `isOld`: by the rules of tables before version 5.
    mutating func claim(
        _ wish: ClaimWish, by station: String, _ session: Int64, _ stations: MemoryStations, isOld: Bool
    ) -> ClaimAnswer {
        let key = Key(content: wish.content, target: wish.target), canSettle = wish.canBeSettled || wish.canBeAsked
        settles[wish.target] = settles[wish.target] ?? wish.canBeSettled
        name(wish.target, wish.targetName, isShared: true, isDumb: !canSettle)
        var mine = Word(station: station, state: .claimed, isDumb: !canSettle, at: stations.time)
        guard var row = rows[key] else {
            rows[key] = Row(token: session, word: mine)
            return .granted
        }
        let isClaim = row.word.state == .claimed, isMine = isClaim && row.token == session
        let isKnown = row.word.station == station && wish.isKnown
        let isTaken = !isMine && !isKnown && (isClaim || isDoubted(row.word, row, stations))
        if !isMine, let refusal = refusal(wish, key, row, by: station, stations, isOld: isOld) { return refusal }
        if !isClaim {
            row.before = row.word
        } else if !isMine, !isKnown {
            // Of several that were lost the last may have been sent; what was told stands behind it.
            let lost = Word(
                station: row.word.station, state: .claimed, isDumb: isDumb(row, key), at: row.word.at)
            if row.before.map({ $0.state == .claimed }) ?? true { row.before = lost } else { row.lost = lost }
        }
        if isMine { mine.at = row.word.at }
        (row.token, row.word) = (session, mine)
        rows[key] = row
        return isTaken ? .takenOver : .granted
    }

    /// Why such a row is not the asking station's.
    private func refusal(
        _ wish: ClaimWish, _ key: Key, _ row: Row, by station: String, _ stations: MemoryStations, isOld: Bool
    ) -> ClaimAnswer? {
        let isOwn = row.word.station == station
        guard row.word.state == .claimed || isDoubted(row.word, row, stations) else {
            return refusal(row.word, wish, row, by: station, stations, isOld: isOld)
        }
        if stations.lives(row.token) {
            return .held(by: stations.name(of: row.word.station), since: row.word.at)
        }
        if isOwn, wish.isKnown { return nil }
        if let before = row.before, !isDoubted(before, row, stations),
            let answer = refusal(before, wish, row, by: station, stations, isOld: isOld)
        {
            return answer
        }
        let isSettled =
            isOld
            ? settles[wish.target] == true
            : wish.canBeAsked || wish.canBeSettled && !isDumb(row, key)
        return isSettled || wish.anyway
            ? nil : .unsure(by: stations.name(of: row.word.station), isOwn: isOwn, at: row.word.at)
    }

    /// What such a word is to whoever was told nothing against it by a person.
    private func refusal(
        _ word: Word, _ wish: ClaimWish, _ row: Row, by station: String, _ stations: MemoryStations, isOld: Bool
    ) -> ClaimAnswer? {
        let isOwn = word.station == station, name = stations.name(of: word.station)
        return switch word.state {
        case .done where !wish.insists: .done(by: name, receipt: row.receipt, isOwn: isOwn)
        case .removed where !wish.again || isOld: .removed(by: name, isOwn: isOwn)
        default: nil
        }
    }

    /// A word without proof of a station that was shut out.
    private func isDoubted(_ word: Word, _ row: Row, _ stations: MemoryStations) -> Bool {
        guard stations.isRevoked(word.station) else { return false }
        return word.state == .removed || word.state == .done && row.proof != .server && row.proof != .reread
    }

    private func isDumb(_ row: Row, _ key: Key) -> Bool {
        guard row.word.state == .claimed else { return targets[key.target]?.isDumb == true }
        return row.word.isDumb || row.before?.isDumb == true || row.lost?.isDumb == true
    }

    private mutating func name(_ target: String, _ name: String, isShared: Bool, isDumb: Bool) {
        guard targets[target] == nil else { return }
        targets[target] = NamedTarget(name: name, isShared: isShared, isDumb: isDumb)
    }

    // MARK: Giving back

    /// `time`: what was tried may have been sent until then.
    mutating func release(_ wishes: [ClaimWish], _ session: Int64, at time: Int64) -> Int {
        let keys = wishes.map { Key(content: $0.content, target: $0.target) }
        let tried = Set(zip(keys, wishes).filter(\.1.mayHaveArrived).map(\.0))
        let mine = Set(keys).filter { rows[$0]?.token == session && rows[$0]?.word.state == .claimed }
        for key in mine {
            guard tried.contains(key) else {
                giveBack(key)
                continue
            }
            rows[key]?.token = 0
            rows[key]?.word.at = time
        }
        return mine.count
    }

    /// What a station had claimed whose session is over.
    mutating func giveFree(_ station: String, _ stations: MemoryStations) -> Int {
        let lost = rows.filter {
            $0.value.word.station == station && $0.value.word.state == .claimed && !stations.lives($0.value.token)
        }
        for key in lost.keys { giveBack(key) }
        return lost.count
    }

    /// What stood there before the claim stands again.
    private mutating func giveBack(_ key: Key) {
        guard var row = rows[key] else { return }
        if let lost = row.lost {
            (row.token, row.word, row.lost) = (0, lost, nil)
        } else if let before = row.before {
            (row.token, row.word, row.before) = (0, before, nil)
        } else {
            rows[key] = nil
            return
        }
        rows[key] = row
    }

    // MARK: What is told

    mutating func take(
        _ fact: DeliveryFact, from station: String, _ session: Int64, upTo seq: Int64, _ stations: MemoryStations
    ) {
        // Two stations' folders of one path are two places.
        let target = fact.shared ? fact.target : "\(station)|\(fact.target)"
        name(target, fact.targetName, isShared: fact.shared, isDumb: false)
        let key = Key(content: fact.content, target: target), old = rows[key]
        switch fact.state {
        case .withdrawn:
            guard let old, old.word.station == station, old.word.state != .claimed, old.seq < seq else { return }
            rows[key] = nil
            return
        case .removed:
            guard old?.word.state == .claimed, stations.lives(old?.token ?? 0) else { break }
            // Whoever has it may be sending it again: the claim leaves this behind.
            rows[key]?.before = Word(station: station, state: .removed)
            rows[key]?.lost = nil
            rows[key]?.seq = seq
            return
        case .done:
            guard let old, old.word.state != .claimed else { break }
            guard old.word.station == station, old.seq < seq else { return }
        }
        rows[key] = Row(
            token: session,
            word: Word(station: station, state: fact.state == .done ? .done : .removed, at: stations.time),
            receipt: fact.receipt, proof: fact.proof, size: fact.size, seq: seq)
    }

    func copies(of wanted: Set<String>, _ stations: MemoryStations) -> [CatalogCopy] {
        rows.filter { wanted.contains($0.key.content.sha256) }.map { key, row in
            let target = targets[key.target]
            var state = row.word.state
            if state == .claimed, !stations.lives(row.token) { state = .unsure }
            if target?.isShared == true, isDoubted(row.word, row, stations) { state = .unsure }
            var copy = CatalogCopy(
                sha256: key.content.sha256, station: stations.name(of: row.word.station), state: state,
                place: target?.name ?? key.target, at: 0)
            (copy.detail, copy.proof, copy.size) = (row.receipt, row.proof?.shown, row.size)
            (copy.target, copy.beside) = (target?.isShared == true ? key.target : nil, key.content.beside)
            return copy
        }
    }
}
