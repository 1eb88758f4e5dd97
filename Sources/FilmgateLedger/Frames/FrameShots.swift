import FilmgateCore

/// Which files may be of one shot: those with one keyed hash of volume and shot.
///
/// A table as `FrameTable`, in which all files with one hash are found at once. With hashes and places it takes 17 bytes
/// a file.
struct FrameShots: Sendable {
    /// What a file is in a list by shots: alone in its shot, the one that stands for it, or behind another one; the last
    /// where files with its hash are of several shots.
    enum Place: UInt8 { case alone, first, behind, behindOne }

    /// Of more files with one name each further one is alone: whoever sends them does not make the list slow.
    static let most = 200
    private static let empty: Int32 = -1
    /// In the order of the slots.
    private var keys: [UInt64] = [], places: [Place] = []
    private var cells = [Int32](repeating: Self.empty, count: 64), mask = 63

    func place(of position: Int) -> Place { places[position] }

    /// All files with the hash of that one, the oldest first.
    func members(of position: Int) -> [Int] {
        let key = keys[position]
        var found: [Int] = [], cell = start(key)
        while cells[cell] != Self.empty {
            if keys[Int(cells[cell])] == key { found.append(Int(cells[cell])) }
            cell = (cell + 1) & mask
        }
        return found.sorted()
    }

    /// The one that stands for a file that is `behind`.
    ///
    /// Mostly it came just before or after it: that is found without the table.
    func first(of position: Int) -> Int? {
        let key = keys[position], near = max(0, position - 4)..<min(keys.count, position + 5)
        for other in near where keys[other] == key && places[other] == .first { return other }
        var cell = start(key)
        while cells[cell] != Self.empty {
            let other = Int(cells[cell])
            if keys[other] == key, places[other] == .first { return other }
            cell = (cell + 1) & mask
        }
        return nil
    }

    mutating func set(_ place: Place, of position: Int) { places[position] = place }

    mutating func insert(_ key: UInt64, at position: Int) {
        keys.insert(key, at: position)
        places.insert(.alone, at: position)
        guard keys.count * 2 <= cells.count else {
            _ = fill()
            return
        }
        var moved = keys.count - 1
        while moved > position {
            move(keys[moved], from: moved - 1, to: moved)
            moved -= 1
        }
        _ = add(position)
    }

    mutating func remove(at position: Int) {
        keys.remove(at: position)
        places.remove(at: position)
        _ = fill()
    }

    /// Adds one behind all others; `fill` then has to be called once.
    mutating func load(_ key: UInt64) {
        keys.append(key)
        places.append(.alone)
    }

    mutating func sort(_ order: [Int]) { keys = order.map { [keys] in keys[$0] } }

    /// Begins the table anew; the files that have the hash of an older one.
    mutating func fill() -> [Int] {
        var size = 64
        while size < keys.count * 2 { size *= 2 }
        (cells, mask) = ([Int32](repeating: Self.empty, count: size), size - 1)
        var shared: [Int] = []
        for position in keys.indices where add(position) { shared.append(position) }
        return shared
    }

    /// Whether others have its hash.
    private mutating func add(_ position: Int) -> Bool {
        let key = keys[position]
        var cell = start(key), others = 0
        while cells[cell] != Self.empty {
            if keys[Int(cells[cell])] == key { others += 1 }
            if others == Self.most {
                keys[position] = key ^ UInt64(position + 1) &* 0x9E37_79B9_7F4A_7C15
                return add(position)
            }
            cell = (cell + 1) & mask
        }
        cells[cell] = Int32(position)
        return others > 0
    }

    private mutating func move(_ key: UInt64, from old: Int, to new: Int) {
        var cell = start(key)
        while cells[cell] != Int32(old) { cell = (cell + 1) & mask }
        cells[cell] = Int32(new)
    }

    private func start(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key) & mask }
}

/// When the pictures with some bytes were taken, by the numbers that the ledger has for them: four bytes a content.
struct FrameMoments: Sendable {
    /// 0 where it is not known.
    private var moments: [UInt32] = []
    /// Seconds within which two files of one shot are taken.
    private static let near: UInt32 = 2

    init() {}

    /// Whether that is another one than was known.
    @discardableResult mutating func note(_ captured: String?, of content: Int64?) -> Bool {
        guard let captured, let content, content > 0, content < NumberSet.most, let moment = Self.moment(captured)
        else { return false }
        let place = Int(content)
        if place >= moments.count { moments.append(contentsOf: repeatElement(0, count: place + 1 - moments.count)) }
        defer { moments[place] = moment }
        return moments[place] != moment
    }

    /// Whether these were taken at one time; nil where that is not known of both.
    func areNear(_ one: UInt32, _ other: UInt32) -> Bool? {
        let (a, b) = (moment(of: one), moment(of: other))
        guard a != 0, b != 0 else { return nil }
        return (a > b ? a - b : b - a) <= Self.near
    }

    private func moment(of content: UInt32) -> UInt32 {
        let place = Int(content)
        return place < moments.count ? moments[place] : 0
    }

    /// Seconds, as if every month had 31 days; of times such as `2026-06-13T14:03:27`, whatever stands behind them.
    private static func moment(_ captured: String) -> UInt32? {
        var fields = [0, 0, 0, 0, 0, 0], field = 0
        for byte in captured.utf8 {
            if (0x30...0x39).contains(byte) {
                fields[field] = fields[field] &* 10 &+ Int(byte & 15)
            } else if field < 5 {
                field += 1
            } else {
                break
            }
        }
        guard field == 5 else { return nil }
        let days = (fields[0] &- 1970) &* 372 &+ fields[1] &* 31 &+ fields[2]
        let minutes = (days &* 24 &+ fields[3]) &* 60 &+ fields[4]
        return UInt32(clamping: max(1, minutes &* 60 &+ fields[5]))
    }
}

// What is one line of a list by shots.
extension FrameIndex {
    /// Nanoseconds between files of one shot of which nobody knows when they were taken.
    private static let near: Int64 = 12 * 3_600_000_000_000
    /// Of what came in one moment these stand for their shot rather than those behind them.
    private static let order: [MediaKind] = [.jpeg, .heif, .image, .raw, .video]

    /// The files of that one's shot, in the order in which they stand for it.
    func shot(of position: Int) -> [Int] {
        guard shots.place(of: position) != .alone else { return [position] }
        return groups(shots.members(of: position)).first { $0.contains(position) } ?? [position]
    }

    /// The file that stands for its shot; nil where it does so itself.
    func lead(of position: Int) -> UInt64? {
        switch shots.place(of: position) {
        case .alone, .first: nil
        case .behind: shots.first(of: position).map { slots[$0].number }
        case .behindOne: shot(of: position).first.map { slots[$0].number }
        }
    }

    /// Whether a list by shots shows a file that fits: none that fits stands for it.
    func leads(_ position: Int, _ fits: (Int) -> Bool) -> Bool {
        switch shots.place(of: position) {
        case .alone, .first: return true
        case .behind: if let first = shots.first(of: position), fits(first) { return false }
        case .behindOne: break
        }
        for other in shot(of: position) {
            if other == position { return true }
            if fits(other) { return false }
        }
        return true
    }

    /// Files with one hash, shot by shot; `members`: the oldest first.
    func groups(_ members: [Int]) -> [[Int]] {
        var groups: [[Int]] = []
        for member in members {
            if let place = groups.lastIndex(where: { joins(member, $0) }) {
                groups[place].append(member)
            } else {
                groups.append([member])
            }
        }
        return groups.map { $0.sorted(by: standsBefore) }
    }

    /// What two files with one hash are: nearly all shots that are not alone have as many.
    func places(_ older: Int, _ newer: Int) -> (older: FrameShots.Place, newer: FrameShots.Place) {
        guard joins(newer, CollectionOfOne(older)) else { return (.alone, .alone) }
        return standsBefore(older, newer) ? (.first, .behind) : (.behind, .first)
    }

    private func joins(_ member: Int, _ group: some BidirectionalCollection<Int>) -> Bool {
        let slot = slots[member]
        if slot.kind.follows { return true }
        var isNear = false
        for other in group where !slots[other].kind.follows {
            if slots[other].kind == .video || slot.kind == .video {
                if path(other) == path(member) { return false }
            } else {
                guard slots[other].kind != slot.kind else { return false }
                switch moments.areNear(slots[other].content, slot.content) {
                case false?: return false
                case true?: isNear = true
                case nil: continue
                }
            }
        }
        let last = group.last { !slots[$0].kind.follows }
        return isNear || last.map { slot.since - slots[$0].since <= Self.near } ?? true
    }

    private func standsBefore(_ one: Int, _ other: Int) -> Bool {
        let (a, b) = (slots[one], slots[other])
        if a.kind.follows != b.kind.follows { return b.kind.follows }
        if a.since != b.since { return a.since < b.since }
        let order = [a.kind, b.kind].map { Self.order.firstIndex(of: $0) ?? Self.order.count }
        // Of one moment those whose paths come first are the newest.
        return order[0] == order[1] ? one > other : order[0] < order[1]
    }
}
