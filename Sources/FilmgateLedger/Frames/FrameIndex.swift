import FilmgateCore

/// All files of a ledger in one order: for lists that jump to any place, and for looking for a name.
///
/// It is read once and then told what changed. It takes about 120 bytes a file. Positions count from the oldest file on,
/// so that new files, which nearly always come last, leave them as they are.
public struct FrameIndex: Sendable {
    /// Oldest first.
    private(set) var slots: [FrameSlot] = []
    private var names = FrameNames(), table = FrameTable()
    private var folders = FrameFolders(), bodies = FrameBodies(), verdicts = FrameVerdicts()
    private(set) var shots = FrameShots(), moments = FrameMoments()
    private var events: [String] = [], eventNumbers: [String: Int32] = [:]
    private var places: [Int64: KnownPlace] = [:]
    private var endings: [Ending: Int] = [:], unfinished = 0
    /// When a file was last recorded, in nanoseconds since 1970, and the highest number of a run; 0 where there is
    /// none.
    public private(set) var latest: Int64 = 0, latestRun: Int64 = 0

    public init() {}
    init(
        _ bodies: FrameBodies, _ verdicts: FrameVerdicts = FrameVerdicts(), _ moments: FrameMoments = FrameMoments()
    ) {
        (self.bodies, self.verdicts, self.moments) = (bodies, verdicts, moments)
    }

    public var count: Int { slots.count }
    public var knownPlaces: [KnownPlace] { places.values.filter { $0.files > 0 }.sorted { $0.last > $1.last } }

    public var counts: FrameCounts { FrameCounts(endings: endings.filter { $0.value != 0 }, unfinished: unfinished) }

    /// The file with that number; nil when there is none.
    public func entry(numbered number: UInt64) -> FrameEntry? { table.position(of: number, in: slots).map { self[$0] } }

    public subscript(position: Int) -> FrameEntry {
        let slot = slots[position], folder = folders[slot.folder]
        return FrameEntry(
            number: slot.number, volume: folder.volume, path: path(position), size: slot.size, run: Int64(slot.run),
            kind: slot.kind, ending: slot.ending, since: slot.since, at: slot.at,
            lead: lead(of: position))
    }

    func position(of number: UInt64) -> Int? { table.position(of: number, in: slots) }

    /// The positions of those whose name holds `text`, whatever its case.
    func positions(named text: String) -> [Int32] { names.positions(of: FrameNames.folded(text), in: slots) }

    /// The positions of those that the ledger found.
    func positions(of finds: FrameFinds) -> [Int32] {
        if finds.isEmpty { return [] }
        let contents = Set(finds.contents.map { UInt32(clamping: $0) })
        let makers = finds.bodies.map { UInt32(clamping: $0) }
        var found: [Int32] = []
        for position in slots.indices {
            let content = slots[position].content
            let isFound = bodies.isOf(makers, content) || !contents.isEmpty && contents.contains(content)
            guard content != 0, isFound else { continue }
            found.append(Int32(position))
        }
        return found
    }

    /// The positions of those whose bytes fit.
    func positions(where condition: ContentCondition) -> [Int32] {
        var found: [Int32] = []
        for position in slots.indices where condition.fits(slots[position]) { found.append(Int32(position)) }
        return found
    }

    func condition(_ filter: FrameFilter) -> FrameCondition { FrameCondition(filter) { eventNumbers[$0] } }

    func condition(_ filter: FrameFilter, of finds: FrameFinds) -> ContentCondition {
        ContentCondition(filter, finds, verdicts, bodies)
    }

    /// How many files, counted from the oldest on, are that one or older; where it is gone, those of its age, too.
    func count(upTo bound: FrameBound) -> Int {
        if let position = position(of: bound.number), slots[position].since == bound.since { return position + 1 }
        var low = 0, high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].since <= bound.since { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func path(_ position: Int) -> String {
        folders[slots[position].folder].path + names.text(slots[position].name..<end(position))
    }

    private func end(_ position: Int) -> Int { position + 1 < slots.count ? slots[position + 1].name : names.count }
}

// What changes it.
extension FrameIndex {
    /// What became of a file that was put.
    enum Change: Equatable { case added(Int), changed(Int), same }

    mutating func know(_ fresh: [Int64: KnownPlace]) {
        for (id, place) in fresh where places[id] == nil { places[id] = place }
    }

    func knows(place: Int64) -> Bool { places[place] != nil }

    mutating func put(_ row: FrameRow) -> Change {
        bodies.note(row.body, of: row.content)
        verdicts.note(row.verdict, of: row.content)
        let isOfAnotherTime = moments.note(row.captured, of: row.content)
        guard let position = table.position(of: row.number, in: slots) else { return .added(insert(row)) }
        let old = slots[position]
        // A row keeps its age; one that was removed and came back has another.
        guard old.since == row.since else {
            _ = remove(row.number)
            return .added(insert(row))
        }
        let fresh = FrameSlot(row, name: old.name, folder: old.folder, event: number(of: row.event), isWide: old.isWide)
        guard fresh != old || isOfAnotherTime else { return .same }
        count(old, -1)
        slots[position] = fresh
        count(fresh, 1)
        group(shots.members(of: position))
        return .changed(position)
    }

    /// Where it was; nil for one that was not there.
    mutating func remove(_ number: UInt64) -> Int? {
        guard let position = table.position(of: number, in: slots) else { return nil }
        let range = slots[position].name..<end(position)
        let mate = shots.members(of: position).first { $0 != position }
        count(slots[position], -1)
        names.remove(range)
        slots.remove(at: position)
        for index in position..<slots.count { slots[index].name -= range.count }
        table.fill(slots)
        shots.remove(at: position)
        if let mate { group(shots.members(of: mate > position ? mate - 1 : mate)) }
        return position
    }

    /// Says anew which of these files, which share a hash, stand for their shots.
    private mutating func group(_ members: [Int]) {
        if members.count == 2 {
            let (older, newer) = places(members[0], members[1])
            shots.set(older, of: members[0])
            shots.set(newer, of: members[1])
            return
        }
        let groups = groups(members)
        for group in groups {
            for (place, member) in group.enumerated() {
                let isAlone = group.count == 1, behind = groups.count == 1 ? FrameShots.Place.behind : .behindOne
                shots.set(isAlone ? .alone : place == 0 ? .first : behind, of: member)
            }
        }
    }

    private mutating func insert(_ row: FrameRow) -> Int {
        let position = place(of: row), name = FrameFolders.name(of: row.path)
        let start = position < slots.count ? slots[position].name : names.count
        let slot = slot(row, name, at: start)
        if position == slots.count {
            names.append(name)
            slots.append(slot)
        } else {
            names.insert(name, at: start)
            slots.insert(slot, at: position)
            let length = name.count
            for index in (position + 1)..<slots.count { slots[index].name += length }
        }
        table.insert(at: position, slots)
        shots.insert(row.shot, at: position)
        group(shots.members(of: position))
        count(slot, 1)
        return position
    }

    private mutating func slot(_ row: FrameRow, _ name: Substring.UTF8View, at start: Int) -> FrameSlot {
        FrameSlot(
            row, name: start, folder: folders.number(row.volume, row.path, name: name), event: number(of: row.event),
            isWide: name.contains { $0 >= 0x80 })
    }

    private mutating func number(of event: String?) -> Int32 {
        // What is held for want of one is without one, too.
        guard let event, event != DeliveryRow.unassigned else { return -1 }
        if let known = eventNumbers[event] { return known }
        let number = Int32(clamping: events.count)
        events.append(event)
        eventNumbers[event] = number
        return number
    }

    private mutating func count(_ slot: FrameSlot, _ step: Int) {
        if let ending = slot.ending { endings[ending, default: 0] += step } else { unfinished += step }
        if step > 0 { (latest, latestRun) = (max(latest, slot.at), max(latestRun, Int64(slot.run))) }
        places[Int64(slot.place)]?.count(slot, step)
    }

    /// Where it belongs: behind all that are older; of one moment those whose paths come first are last, and so first
    /// in a list.
    private func place(of row: FrameRow) -> Int {
        if slots.last.map({ $0.since < row.since }) ?? true { return slots.count }
        var low = 0, high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle, row) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isBefore(_ position: Int, _ row: FrameRow) -> Bool {
        let slot = slots[position]
        if slot.since != row.since { return slot.since < row.since }
        let path = path(position)
        return path == row.path ? slot.number < row.number : path > row.path
    }
}

// Comparing it with another.
extension FrameIndex {
    /// The files that are others here than there, or new; nil where there are more than `most`, and where some of those
    /// are gone.
    func differences(from old: FrameIndex, most: Int) -> Set<UInt64>? {
        var found: Set<UInt64> = [], known = 0
        for (position, slot) in slots.enumerated() {
            if let place = old.position(of: slot.number) {
                known += 1
                let isSame = slot.isSame(as: old.slots[place]) && event(of: position) == old.event(of: place)
                if isSame { continue }
            }
            found.insert(slot.number)
            if found.count > most { return nil }
        }
        return known == old.count ? found : nil
    }

    private func event(of position: Int) -> String? {
        let number = Int(slots[position].event)
        return events.indices.contains(number) ? events[number] : nil
    }
}

// Reading all of it.
extension FrameIndex {
    /// Adds a file in whatever order; `settle` then has to be called once.
    mutating func load(_ row: FrameRow) {
        let name = FrameFolders.name(of: row.path)
        slots.append(slot(row, name, at: names.count))
        names.append(name)
        shots.load(row.shot)
    }

    mutating func settle() {
        if !slots.indices.dropFirst().allSatisfy({ slots[$0 - 1].since < slots[$0].since }) { sort() }
        table.fill(slots)
        // Each shot once: when all of its files were met.
        for position in shots.fill() {
            let members = shots.members(of: position)
            if members.last == position { group(members) }
        }
        for slot in slots { count(slot, 1) }
    }

    private mutating func sort() {
        let order = slots.indices.sorted { one, other in
            let (a, b) = (slots[one], slots[other])
            if a.since != b.since { return a.since < b.since }
            let (path, further) = (path(one), path(other))
            return path == further ? a.number < b.number : path > further
        }
        var sorted: [FrameSlot] = [], texts = FrameNames()
        sorted.reserveCapacity(slots.count)
        texts.reserve(names.count)
        for place in order {
            var slot = slots[place]
            slot.name = texts.count
            texts.append(names.bytes[slots[place].name..<end(place)])
            sorted.append(slot)
        }
        (slots, names) = (sorted, texts)
        shots.sort(order)
    }
}

/// The folders that files lie in, each once.
struct FrameFolders: Sendable {
    private struct Folder: Hashable { var volume: Int64, path: Bytes }
    private var all: [Folder] = [], numbers: [Folder: Int32] = [:]

    subscript(number: Int32) -> (volume: Int64, path: String) { (all[Int(number)].volume, all[Int(number)].path.text) }

    /// What comes behind the last `/`.
    static func name(of path: String) -> Substring.UTF8View {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...].utf8 } ?? path[...].utf8
    }

    /// `name`: the end of the path.
    mutating func number(_ volume: Int64, _ path: String, name: Substring.UTF8View) -> Int32 {
        let start = path[..<name.startIndex]
        // Files come folder by folder.
        if let last = all.last, last.volume == volume, last.path.text.utf8.elementsEqual(start.utf8) {
            return Int32(all.count - 1)
        }
        let folder = Folder(volume: volume, path: Bytes(String(start)))
        if let known = numbers[folder] { return known }
        all.append(folder)
        numbers[folder] = Int32(all.count - 1)
        return Int32(all.count - 1)
    }
}

extension KnownPlace {
    /// Counts a file, or takes it back.
    fileprivate mutating func count(_ slot: FrameSlot, _ step: Int) {
        files += step
        bytes = step > 0 ? bytes &+ slot.size : bytes &- slot.size
        last = max(last, slot.at)
        if let ending = slot.ending { endings[ending, default: 0] += step } else { unfinished += step }
    }
}
