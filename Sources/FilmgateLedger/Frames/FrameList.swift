import FilmgateCore

/// Where a page of a list begins.
public enum FramePlace: Sendable, Hashable {
    /// Counted from the newest file.
    case at(Int)
    /// Behind the file with that number and age, whether or not it is still there.
    case behind(since: Int64, number: UInt64)
}

/// A part of a list, newest first.
public struct FramePart: Sendable {
    public var entries: [FrameEntry] = []
    /// Where the part begins, and how long the whole list is.
    public var start = 0, total = 0
    /// How many files the whole list stands for.
    public var files = 0
    /// The newest file of all that fit; nil where nothing does.
    public var newest: FrameEntry?
    /// Of a list by shots, for each entry: the other files of its shot that whoever asks may see.
    public var others: [[FrameEntry]] = []
}

/// All files of a ledger, and those that some filters choose: kept up to date with what is told, without reading
/// anything anew.
public struct FrameList: Sendable {
    public private(set) var index = FrameIndex()
    private var selections = FrameSelections()
    /// Another one whenever a file came, changed or went.
    public private(set) var revision: Int

    public init(revision: Int) { self.revision = revision }

    /// Takes the place of all that is here; the numbers of the files that are others now, nil where there are too many
    /// to name.
    public mutating func replace(_ index: FrameIndex) -> Set<UInt64>? {
        let changed = index.differences(from: self.index, most: Self.mostNamed)
        (self.index, selections) = (index, FrameSelections())
        if changed?.isEmpty != true { revision += 1 }
        return changed
    }
    private static let mostNamed = 1000
    static let mostMoved = 256

    /// Takes over what the ledger has of some files; the numbers of those of which anything is another than it was.
    public mutating func take(_ fresh: FrameRows) -> Set<UInt64> {
        var changed: Set<UInt64> = []
        index.know(fresh.places)
        for row in fresh.rows {
            switch index.put(row) {
            case .same: continue
            case .added(let position): selections.added(position, index)
            case .changed(let position): selections.changed(position, index)
            }
            changed.insert(row.number)
            // Each file moves what is chosen behind it: after many, choosing anew is less work.
            if changed.count == Self.mostMoved { selections = FrameSelections() }
        }
        for number in fresh.missing { if remove(number) { changed.insert(number) } }
        if !changed.isEmpty { revision += 1 }
        return changed
    }

    private mutating func remove(_ number: UInt64) -> Bool {
        let mates = index.position(of: number).map { index.shots.members(of: $0).map { index.slots[$0].number } } ?? []
        guard let position = index.remove(number) else { return false }
        selections.removed(position)
        // Another one may stand for their shot now.
        if let place = mates.compactMap({ index.position(of: $0) }).first { selections.changed(place, index) }
        return true
    }

    /// A part of what fits.
    ///
    /// `finds`: what the ledger found for the filter's text; `scope`: what whoever asks may see of the other files of a
    /// shot.
    public mutating func part(
        _ filter: FrameFilter, finds: FrameFinds = FrameFinds(), within scope: FrameFilter = FrameFilter(),
        from place: FramePlace, limit: Int
    ) -> FramePart {
        let chosen = positions(filter, finds), total = chosen?.count ?? index.count
        // Positions count from the oldest on, places from the newest.
        func position(_ place: Int) -> Int { chosen.map { Int($0[total - 1 - place]) } ?? total - 1 - place }
        var start = 0
        switch place {
        case .at(let wanted): start = min(max(0, wanted), total)
        case .behind(let since, let number):
            var high = total
            while start < high {
                let middle = (start + high) / 2
                if index.slots[position(middle)].since > since { start = middle + 1 } else { high = middle }
            }
            while start < total, index.slots[position(start)].since == since {
                start += 1
                if index.slots[position(start - 1)].number == number { break }
            }
        }
        let end = min(total, start + max(0, limit)), chosenHere = (start..<end).map { position($0) }
        var part = FramePart(
            entries: chosenHere.map { index[$0] }, start: start, total: total, files: total,
            newest: total > 0 ? index[position(0)] : nil)
        guard filter.isByShot else { return part }
        let condition = index.condition(scope)
        part.others = chosenHere.map { own in
            index.shot(of: own).filter { $0 != own && condition.fits(index.slots[$0]) }.map { index[$0] }
        }
        let all = files(filter, finds)
        part.files = all?.count ?? index.count
        if part.files > 0 { part.newest = index[all?.last.map { Int($0) } ?? index.count - 1] }
        return part
    }

    /// The bytes of all that fits, by their numbers in the ledger.
    ///
    /// `bound`: without files that came after that one.
    public mutating func bytes(
        _ filter: FrameFilter, finds: FrameFinds, upTo bound: FrameBound? = nil
    ) -> NumberSet {
        let slots = index.slots, end = bound.map { index.count(upTo: $0) } ?? slots.count
        var numbers = NumberSet()
        func add(_ position: Int) {
            let content = slots[position].content
            if content != 0 { numbers.insert(Int64(content)) }
        }
        if let chosen = files(filter, finds) {
            for position in chosen where position < end { add(Int(position)) }
        } else {
            for position in 0..<end { add(position) }
        }
        return numbers
    }

    /// Whoever has the list reads it anew, though the same files are in it.
    public mutating func renumber() { revision += 1 }

    /// Of what is listed, oldest first; nil when all of it is.
    mutating func positions(_ filter: FrameFilter, _ finds: FrameFinds) -> [Int32]? {
        guard filter.isByShot else { return files(filter, finds) }
        if filter.text.isEmpty, index.condition(filter, of: finds).fitsAll {
            return selections.positions(filter.ofFiles, index)
        }
        let found = files(filter, finds) ?? []
        return found.filter { index.leads(Int($0)) { Self.holds(found, Int32($0)) } }
    }

    /// Of the files that fit, oldest first; nil when all of them do.
    private mutating func files(_ filter: FrameFilter, _ finds: FrameFinds) -> [Int32]? {
        var filter = filter
        filter.isByShot = false
        let part = filter.ofFiles, content = index.condition(filter, of: finds), slots = index.slots
        guard filter.text.isEmpty else {
            // What was found for a text is not kept: it is not the same for all who look for it.
            let condition = index.condition(part)
            let found = Self.either(index.positions(named: filter.text), index.positions(of: finds))
            return found.filter { condition.fits(slots[Int($0)]) && content.fits(slots[Int($0)]) }
        }
        guard part != FrameFilter() else { return content.fitsAll ? nil : index.positions(where: content) }
        let chosen = selections.positions(part, index)
        return content.fitsAll ? chosen : chosen.filter { content.fits(slots[Int($0)]) }
    }

    /// `list` is in order.
    private static func holds(_ list: [Int32], _ position: Int32) -> Bool {
        let place = FrameSelections.place(of: position, in: list)
        return place < list.count && list[place] == position
    }

    /// Whatever is in one of two lists in order, once.
    private static func either(_ one: [Int32], _ other: [Int32]) -> [Int32] {
        guard !one.isEmpty, !other.isEmpty else { return one + other }
        var all: [Int32] = [], (first, second) = (0, 0)
        all.reserveCapacity(one.count + other.count)
        while first < one.count, second < other.count {
            let next = min(one[first], other[second])
            all.append(next)
            if one[first] == next { first += 1 }
            if other[second] == next { second += 1 }
        }
        return all + one[first...] + other[second...]
    }
}

/// What some filters without a text choose, each kept as a list of positions.
struct FrameSelections: Sendable {
    private struct Selection { var filter: FrameFilter, condition: FrameCondition, positions: [Int32] }
    /// The one that was asked for last comes last.
    private var kept: [Selection] = []
    private static let most = 16

    mutating func positions(_ filter: FrameFilter, _ index: FrameIndex) -> [Int32] {
        if let place = kept.firstIndex(where: { $0.filter == filter }) {
            if place != kept.count - 1 { kept.append(kept.remove(at: place)) }
            return kept[kept.count - 1].positions
        }
        let condition = index.condition(filter), slots = index.slots
        var positions: [Int32] = []
        for position in slots.indices where condition.fits(slots[position]) { positions.append(Int32(position)) }
        if filter.isByShot {
            positions.removeAll { !index.leads(Int($0)) { condition.fits(slots[$0]) } }
        }
        // Its event may get a number later.
        let isKept = filter.event == nil || slots.contains { condition.fits($0) }
        guard isKept else { return positions }
        if kept.count >= Self.most { kept.removeFirst() }
        kept.append(Selection(filter: filter, condition: condition, positions: positions))
        return positions
    }

    mutating func added(_ position: Int, _ index: FrameIndex) {
        let slot = index.slots[position], isLast = position == index.count - 1
        for number in kept.indices {
            let place =
                isLast ? kept[number].positions.count : Self.place(of: Int32(position), in: kept[number].positions)
            if !isLast { for later in place..<kept[number].positions.count { kept[number].positions[later] += 1 } }
            if kept[number].filter.isByShot {
                chooseShots(number, position, index)
            } else if kept[number].condition.fits(slot) {
                kept[number].positions.insert(Int32(position), at: place)
            }
        }
    }

    mutating func changed(_ position: Int, _ index: FrameIndex) {
        for number in kept.indices {
            if kept[number].filter.isByShot {
                chooseShots(number, position, index)
            } else {
                choose(position, kept[number].condition.fits(index.slots[position]), number)
            }
        }
    }

    /// All that may be of the shot of that file.
    private mutating func chooseShots(_ number: Int, _ position: Int, _ index: FrameIndex) {
        let condition = kept[number].condition, slots = index.slots
        for member in index.shots.members(of: position) {
            let isShown = condition.fits(slots[member]) && index.leads(member) { condition.fits(slots[$0]) }
            choose(member, isShown, number)
        }
    }

    private mutating func choose(_ position: Int, _ isWanted: Bool, _ number: Int) {
        let place = Self.place(of: Int32(position), in: kept[number].positions)
        let isIn = place < kept[number].positions.count && kept[number].positions[place] == Int32(position)
        if isWanted, !isIn { kept[number].positions.insert(Int32(position), at: place) }
        if !isWanted, isIn { kept[number].positions.remove(at: place) }
    }

    mutating func removed(_ position: Int) {
        for number in kept.indices {
            let place = Self.place(of: Int32(position), in: kept[number].positions)
            if place < kept[number].positions.count, kept[number].positions[place] == Int32(position) {
                kept[number].positions.remove(at: place)
            }
            for later in place..<kept[number].positions.count { kept[number].positions[later] -= 1 }
        }
    }

    /// The first place that is not before `position`.
    fileprivate static func place(of position: Int32, in positions: [Int32]) -> Int {
        var low = 0, high = positions.count
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
