import FilmgateCore
import Testing

@testable import FilmgateLedger

/// The list of all files against a plain array that is sorted and filtered anew each time.
@Suite struct FrameIndexTests {
    /// Reproducible numbers (SplitMix64).
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return word ^ word >> 31
        }
    }

    static let names = [
        "IMG_0001.JPG", "img_0001.jpg", "DSC_2.NEF", "Ä_grüße.jpg", "A\u{308}_x.CR3", "clip\n1.MOV", "日本.heic", "x",
    ]
    static let filters: [FrameFilter] = {
        var all: [FrameFilter] = [FrameFilter()]
        func add(_ change: (inout FrameFilter) -> Void) {
            var filter = FrameFilter()
            change(&filter)
            all.append(filter)
        }
        add { $0.endings = [.delivered] }
        add { ($0.endings, $0.isUnfinished) = ([.pending, .setAside], true) }
        add { $0.kinds = [.jpeg, .raw] }
        add { $0.run = 2 }
        add { $0.event = "wedding" }
        add { $0.event = "not yet" }
        for text in ["img", "IMG_0001", "ä_", "GRÜSSE", "1", "clip 1", "日", "jpg", "none", "0001.jpgdsc"] {
            add { $0.text = text }
        }
        add { ($0.text, $0.kinds) = ("1", [.jpeg]) }
        add { $0.isWithoutEvent = true }
        add { ($0.from, $0.to) = (1005, 1020) }
        add { $0.stars = 3 }
        add { $0.picks = [.picked] }
        add { $0.picks = [PictureMark.Pick.none, .rejected] }
        add { ($0.stars, $0.picks, $0.kinds) = (1, [.picked], [.jpeg, .raw]) }
        add { ($0.text, $0.stars) = ("1", 2) }
        add { $0.isByShot = true }
        add { ($0.isByShot, $0.kinds) = (true, [.jpeg, .raw]) }
        add { ($0.isByShot, $0.endings) = (true, [.delivered]) }
        add { ($0.isByShot, $0.text) = (true, "1") }
        add { ($0.isByShot, $0.stars) = (true, 2) }
        return all
    }()

    /// What the list must be.
    struct Model {
        var rows: [UInt64: FrameRow] = [:]

        var sorted: [FrameRow] {
            rows.values.sorted { a, b in
                if a.since != b.since { return a.since > b.since }
                return a.path == b.path ? a.number > b.number : a.path < b.path
            }
        }

        func chosen(_ filter: FrameFilter, _ finds: FrameFinds) -> [UInt64] {
            let files = fitting(filter, finds)
            return filter.isByShot ? ShotModel(sorted.reversed()).leads(of: Set(files), in: files) : files
        }

        private func fitting(_ filter: FrameFilter, _ finds: FrameFinds) -> [UInt64] {
            sorted.filter { row in
                if filter.endings != nil || filter.isUnfinished {
                    guard row.ending.map({ filter.endings?.contains($0) ?? false }) ?? filter.isUnfinished else {
                        return false
                    }
                }
                if let kinds = filter.kinds, !kinds.contains(row.kind) { return false }
                if let run = filter.run, row.run != run { return false }
                if let event = filter.event, row.event != event { return false }
                if filter.isWithoutEvent, !(row.event ?? "").isEmpty { return false }
                if let from = filter.from, row.since < from { return false }
                if let to = filter.to, row.since > to { return false }
                let said = FrameIndexTests.said(of: row.content)
                if let stars = filter.stars, said.stars < stars { return false }
                if let picks = filter.picks, !picks.contains(said.pick) { return false }
                if let only = finds.onlyContents, !only.contains(row.content ?? -1) { return false }
                if let only = finds.onlyBodies, !only.contains(row.body ?? -1) { return false }
                guard !filter.text.isEmpty else { return true }
                let name = row.path.split(separator: "/").last.map { FrameNames.folded(String($0)) } ?? []
                let wanted = FrameNames.folded(filter.text)
                let isNamed =
                    name.count >= wanted.count
                    && (0...(name.count - wanted.count)).contains { name[$0...].starts(with: wanted) }
                let isMade = row.body.map { finds.bodies.contains($0) } ?? false
                return isNamed || isMade || row.content.map { finds.contents.contains($0) } ?? false
            }.map(\.number)
        }
    }

    static func row(_ dice: inout Dice, since: Int64) -> FrameRow {
        let name = names.randomElement(using: &dice) ?? "x"
        let folder = ["", "DCIM/100/", "DCIM/101/", "é/", "e\u{301}/"].randomElement(using: &dice) ?? ""
        var row = FrameRow(
            number: dice.next(), volume: Int64.random(in: 1...2, using: &dice), path: folder + name,
            size: UInt64.random(in: 0...9, using: &dice),
            place: Int64.random(in: 1...3, using: &dice), run: Int64.random(in: 1...3, using: &dice),
            content: Bool.random(using: &dice) ? Int64.random(in: 1...40, using: &dice) : nil,
            kind: MediaKind.allCases.randomElement(using: &dice) ?? .other,
            ending: Ending.allCases.randomElement(using: &dice),
            event: [nil, DeliveryRow.unassigned, "wedding", "fair"].randomElement(using: &dice) ?? nil, since: since,
            at: since, shot: UInt64.random(in: 1...40, using: &dice))
        (row.body, row.verdict) = (body(of: row.content), verdict(of: row.content))
        row.captured = ShotModel.captured(of: row.content)
        return row
    }

    /// Some bytes are rated by the camera, some by people, and some by both.
    static func verdict(of content: Int64?) -> FrameVerdict? {
        content.map { content in
            var mark = PictureMark()
            mark.rating = content % 3 == 0 ? Int(content % 6) : nil
            mark.pick = content % 4 == 0 ? PictureMark.Pick.picked : nil
            return FrameVerdict(mark, camera: Int(content % 7) - 1)
        }
    }

    /// The same, plainly.
    static func said(of content: Int64?) -> (stars: Int, pick: PictureMark.Pick) {
        guard let content else { return (0, PictureMark.Pick.none) }
        let camera = Int(content % 7) - 1, stars = content % 3 == 0 ? Int(content % 6) : max(0, camera)
        return (stars, content % 4 == 0 ? .picked : camera == -1 ? .rejected : PictureMark.Pick.none)
    }

    /// Of some bytes nobody knows who made them.
    static func body(of content: Int64?) -> Int64? { content.flatMap { $0 % 5 == 0 ? nil : $0 % 5 } }

    static func change(_ row: inout FrameRow, _ dice: inout Dice) {
        row.at += 5
        switch Int.random(in: 0...4, using: &dice) {
        case 0: row.ending = Ending.allCases.randomElement(using: &dice)
        case 1: row.ending = nil
        case 2: row.run = Int64.random(in: 1...3, using: &dice)
        case 3: row.event = [nil, "wedding", "not yet"].randomElement(using: &dice) ?? nil
        default:
            row.content = Int64.random(in: 1...40, using: &dice)
            (row.body, row.verdict) = (body(of: row.content), verdict(of: row.content))
            row.captured = ShotModel.captured(of: row.content)
        }
    }

    static let places: [Int64: KnownPlace] = [
        1: KnownPlace(volume: "a", root: "/a", source: "card"), 2: KnownPlace(volume: "b", root: "/b", source: "card"),
        3: KnownPlace(volume: "c", root: "/c", source: "ftp"),
    ]

    /// New files, changes, files that went, words that come twice, and everything read anew, in any order.
    @Test(arguments: 1...12) func isWhatAPlainListWouldBe(_ seed: Int) {
        var dice = Dice(state: UInt64(seed)), model = Model(), list = FrameList(revision: 0), now: Int64 = 1000
        for round in 0..<60 {
            var fresh = FrameRows()
            fresh.places = Self.places
            for _ in 0..<Int.random(in: 0...12, using: &dice) {
                let kind = Int.random(in: 0...9, using: &dice)
                if kind < 6 || model.rows.isEmpty {
                    // Mostly newer than all; sometimes of the same moment, or from long ago.
                    now += Int64.random(in: 0...2, using: &dice)
                    fresh.rows.append(Self.row(&dice, since: kind == 0 ? Int64.random(in: 1...now, using: &dice) : now))
                } else if let number = model.rows.keys.sorted().randomElement(using: &dice),
                    var row = model.rows[number],
                    !fresh.missing.contains(number), !fresh.rows.contains(where: { $0.number == number })
                {
                    if kind == 9 {
                        fresh.missing.append(number)
                    } else {
                        if kind < 8 { Self.change(&row, &dice) }
                        fresh.rows.append(row)
                    }
                }
            }
            for row in fresh.rows { model.rows[row.number] = row }
            for number in fresh.missing { model.rows[number] = nil }
            let revision = list.revision, changed = list.take(fresh)
            #expect(list.revision == revision + (changed.isEmpty ? 0 : 1))
            // The same words once more change nothing.
            #expect(list.take(fresh).isEmpty)
            if round % 7 == 6 { rebuild(&list, model) }
            compare(&list, model, &dice)
        }
    }

    private func rebuild(_ list: inout FrameList, _ model: Model) {
        var bodies = FrameBodies(), verdicts = FrameVerdicts(), moments = FrameMoments()
        for row in model.rows.values {
            bodies.note(row.body, of: row.content)
            verdicts.note(row.verdict, of: row.content)
            moments.note(row.captured, of: row.content)
        }
        var index = FrameIndex(bodies, verdicts, moments)
        index.know(Self.places)
        for row in model.rows.values { index.load(row) }
        index.settle()
        let changed = list.replace(index)
        #expect(changed == [], "what was told was not the whole of it")
    }

    private func compare(_ list: inout FrameList, _ model: Model, _ dice: inout Dice) {
        let finds = FrameFinds(contents: [1, 2, 3], bodies: [4])
        for filter in Self.filters {
            let found = filter.text.isEmpty ? FrameFinds() : finds, wanted = model.chosen(filter, found)
            let all = list.part(filter, finds: found, from: .at(0), limit: .max)
            #expect(all.entries.map(\.number) == wanted && all.total == wanted.count, "\(filter)")
            guard let place = wanted.indices.randomElement(using: &dice), let row = model.rows[wanted[place]] else {
                continue
            }
            let part = list.part(filter, finds: found, from: .at(place), limit: 3)
            #expect(part.entries.map(\.number) == Array(wanted[place...].prefix(3)) && part.start == place)
            let next = list.part(filter, finds: found, from: .behind(since: row.since, number: row.number), limit: 3)
            #expect(next.entries.map(\.number) == Array(wanted[(place + 1)...].prefix(3)))
        }
        compareShots(&list, model)
        var only = finds
        (only.onlyContents, only.onlyBodies) = (NumberSet((1...30).map { Int64($0) }), NumberSet([1, 2]))
        for filter in [FrameFilter(), Self.filters[3], Self.filters[8]] {
            let all = list.part(filter, finds: only, from: .at(0), limit: .max)
            #expect(all.entries.map(\.number) == model.chosen(filter, only) && all.newest == all.entries.first)
            let bytes = Set(model.chosen(filter, only).compactMap { model.rows[$0]?.content })
            #expect(list.bytes(filter, finds: only).numbers == bytes.sorted())
        }
        for row in model.rows.values {
            let entry = list.index.entry(numbered: row.number)
            #expect(
                entry?.path.utf8.elementsEqual(row.path.utf8) == true && entry?.volume == row.volume
                    && entry?.at == row.at)
        }
        let counts = Dictionary(grouping: model.rows.values.compactMap(\.ending)) { $0 }.mapValues(\.count)
        #expect(
            list.index.counts.endings == counts
                && list.index.counts.unfinished == model.rows.values.count { $0.ending == nil })
        for place in list.index.knownPlaces {
            let files = model.rows.values.filter { Self.places[$0.place]?.volume == place.volume }
            #expect(place.files == files.count && place.bytes == files.reduce(0) { $0 + $1.size })
        }
        #expect(list.index.knownPlaces.count == Set(model.rows.values.map(\.place)).count)
    }

    /// Each line of a list by shots has all of its shot with it, and each file says who stands for it.
    private func compareShots(_ list: inout FrameList, _ model: Model) {
        var filter = FrameFilter()
        filter.isByShot = true
        let all = list.part(filter, from: .at(0), limit: .max), shots = ShotModel(model.sorted.reversed()).shots
        let newest = all.newest.map(\.number), wanted = model.sorted.first.map(\.number)
        #expect(all.files == model.rows.count && newest == wanted)
        #expect(all.total == shots.count && all.others.count == all.entries.count)
        let told = zip(all.entries, all.others).map { Set([$0.number] + $1.map(\.number)) }
        #expect(Set(told) == Set(shots.map { Set($0.map(\.number)) }))
        for (entry, others) in zip(all.entries, all.others) {
            #expect(entry.lead == nil && others.allSatisfy { $0.lead == entry.number })
        }
    }

    /// Another word on some bytes counts for all files that have them, though none of them is another.
    @Test func aVerdictCountsForAllFilesOfItsBytes() throws {
        var dice = Dice(state: 3), list = FrameList(revision: 0), fresh = FrameRows(), filter = FrameFilter()
        (filter.stars, fresh.places) = (4, Self.places)
        for since in 1...3 {
            var row = Self.row(&dice, since: Int64(since))
            (row.content, row.verdict) = (since == 3 ? 9 : 8, nil)
            fresh.rows.append(row)
        }
        #expect(list.take(fresh).count == 3 && list.part(filter, from: .at(0), limit: 9).total == 0)
        var mark = PictureMark(), again = FrameRows()
        mark.rating = 5
        again.rows = [fresh.rows[0]]
        again.rows[0].verdict = FrameVerdict(mark, camera: nil)
        #expect(list.take(again).isEmpty)
        #expect(
            list.part(filter, from: .at(0), limit: 9).entries.map(\.number) == [1, 0].map { fresh.rows[$0].number })
    }

    /// What came after the newest that somebody saw is not meant, whatever became of that one.
    @Test func bytesAreBoundByTheNewestThatWasSeen() throws {
        var dice = Dice(state: 4), list = FrameList(revision: 0), fresh = FrameRows()
        fresh.places = Self.places
        for since in 1...6 {
            var row = Self.row(&dice, since: Int64(since))
            (row.content, row.kind) = (Int64(since), .jpeg)
            fresh.rows.append(row)
        }
        _ = list.take(fresh)
        var filter = FrameFilter()
        filter.kinds = [.jpeg]
        let bound = FrameBound(since: 4, number: fresh.rows[3].number)
        for filter in [FrameFilter(), filter] {
            #expect(list.bytes(filter, finds: FrameFinds(), upTo: bound).numbers == [1, 2, 3, 4])
        }
        var gone = FrameRows()
        gone.missing = [fresh.rows[3].number]
        _ = list.take(gone)
        #expect(list.bytes(filter, finds: FrameFinds(), upTo: bound).numbers == [1, 2, 3])
        #expect(list.bytes(filter, finds: FrameFinds()).numbers == [1, 2, 3, 5, 6])
    }

    /// Another ledger, or one that changed without a word: what differs is named, as long as that is little.
    @Test func aRereadNamesWhatIsNew() {
        var dice = Dice(state: 5), list = FrameList(revision: 7)
        var rows = (0..<50).map { Self.row(&dice, since: Int64($0)) }
        func index(_ rows: [FrameRow]) -> FrameIndex {
            var index = FrameIndex()
            for row in rows.shuffled(using: &dice) { index.load(row) }
            index.settle()
            return index
        }
        #expect(list.replace(index(rows))?.count == 50 && list.revision == 8)
        #expect(list.replace(index(rows)) == [] && list.revision == 8)
        rows[3].ending = rows[3].ending == .pending ? .delivered : .pending
        rows[4].event = "another"
        rows.append(Self.row(&dice, since: 99))
        #expect(list.replace(index(rows)) == [rows[3].number, rows[4].number, rows[50].number] && list.revision == 9)
        rows.removeLast()
        #expect(list.replace(index(rows)) == nil && list.revision == 10)
    }

    /// What filters choose is then not moved file by file.
    @Test func veryManyChangesAtOnceAreChosenAnew() {
        var dice = Dice(state: 9), model = Model(), list = FrameList(revision: 0), fresh = FrameRows()
        fresh.places = Self.places
        for since in 0..<(2 * FrameList.mostMoved) { fresh.rows.append(Self.row(&dice, since: Int64(since))) }
        for _ in 0..<3 {
            #expect(list.take(fresh).count == fresh.rows.count)
            for row in fresh.rows { model.rows[row.number] = row }
            compare(&list, model, &dice)
            for place in fresh.rows.indices { Self.change(&fresh.rows[place], &dice) }
        }
    }

    @Test func aFileTakesAHundredBytesAtMost() {
        #expect(MemoryLayout<FrameSlot>.stride <= 64)
    }
}
