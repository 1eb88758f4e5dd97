import FilmgateCore
import Testing

@testable import FilmgateLedger

/// Shots as a plain list has them.
struct ShotModel {
    var shots: [[FrameRow]] = []

    /// `rows`: oldest first.
    init(_ rows: some Sequence<FrameRow>) {
        for members in Dictionary(grouping: rows, by: \.shot).values {
            var own: [[FrameRow]] = []
            for row in members {
                let home = own.indices.last { index in
                    row.kind.follows || own[index].allSatisfy { Self.areOfOneShot($0, row) }
                }
                if let home { own[home].append(row) } else { own.append([row]) }
            }
            shots += own
        }
    }

    /// Of `list`, those that stand for their shots among `fitting`.
    func leads(of fitting: Set<UInt64>, in list: [UInt64]) -> [UInt64] {
        var leads: Set<UInt64> = []
        for shot in shots {
            let own = shot.enumerated().filter { fitting.contains($1.number) }
            let first = own.min { Self.rank($0.element, $0.offset) < Self.rank($1.element, $1.offset) }
            if let first { leads.insert(first.element.number) }
        }
        return list.filter { leads.contains($0) }
    }

    private static func rank(_ row: FrameRow, _ place: Int) -> (Int, Int64, Int, Int) {
        let order: [MediaKind: Int] = [.jpeg: 0, .heif: 1, .image: 2, .raw: 3, .video: 4]
        return (row.kind.follows ? 1 : 0, row.since, order[row.kind] ?? 5, -place)
    }

    private static func areOfOneShot(_ one: FrameRow, _ other: FrameRow) -> Bool {
        if one.kind.follows { return true }
        if one.kind == .video || other.kind == .video { return one.path != other.path }
        guard one.kind != other.kind else { return false }
        guard let a = second(of: one.content), let b = second(of: other.content) else { return true }
        return abs(a - b) <= 2
    }

    /// When some bytes were taken; of some nobody knows.
    private static func second(of content: Int64?) -> Int64? {
        content.flatMap { $0 % 5 == 0 ? nil : 10 + $0 % 4 * 2 }
    }
    static func captured(of content: Int64?) -> String? { second(of: content).map { "2026-06-13T14:03:\($0).25" } }
}

/// What is one shot, and what is not though it is called so.
@Suite struct ShotListTests {
    private struct Shots {
        var list = FrameList(revision: 0), rows: [FrameRow] = []

        /// The same name on the same volume; hours after the first.
        mutating func add(_ name: String, _ kind: MediaKind, hours: Int64 = 0, captured: String? = nil) {
            let number = UInt64(rows.count + 1), since = hours * 3_600_000_000_000 + Int64(number)
            var row = FrameRow(
                number: number, volume: 1, path: "DCIM/" + name, size: 1, place: 1, run: 1,
                content: captured.map { _ in Int64(number) }, kind: kind, ending: .delivered, event: nil, since: since,
                at: since, shot: 7)
            row.captured = captured
            rows.append(row)
            var fresh = FrameRows()
            (fresh.rows, fresh.places) = ([row], FrameIndexTests.places)
            _ = list.take(fresh)
        }

        mutating func remove(_ number: UInt64) {
            var fresh = FrameRows()
            fresh.missing = [number]
            _ = list.take(fresh)
        }

        /// The lines as a sheet has them, the newest first: each with the others of its shot.
        mutating func lines(_ kinds: Set<MediaKind>? = nil) -> [[UInt64]] {
            var filter = FrameFilter()
            (filter.isByShot, filter.kinds) = (true, kinds)
            let part = list.part(filter, from: .at(0), limit: 100)
            return zip(part.entries, part.others).map { [$0.number] + $1.map(\.number) }
        }
    }

    @Test func aRawThatComesLaterJoinsItsJPEG() {
        var shots = Shots()
        shots.add("IMG_1.JPG", .jpeg, captured: "2026-06-13T14:03:27")
        shots.add("IMG_1.WAV", .audio)
        #expect(shots.lines() == [[1, 2]])
        shots.add("IMG_1.CR3", .raw, hours: 40, captured: "2026-06-13T14:03:28.5")
        #expect(shots.lines() == [[1, 3, 2]], "what came first stays, pictures before what follows them")
        #expect(shots.lines([.raw, .audio]) == [[3, 1, 2]], "of those that fit, with all of its shot")
        shots.remove(1)
        #expect(shots.lines() == [[3, 2]])
    }

    @Test func aNameThatComesAgainIsAnotherShot() {
        var shots = Shots()
        shots.add("IMG_1.JPG", .jpeg, captured: "2026-06-13T14:03:27")
        shots.add("IMG_1.CR3", .raw, captured: "2026-06-13T14:03:27")
        shots.add("IMG_1.JPG", .jpeg, hours: 1, captured: "2026-06-13T15:00:00")
        shots.add("IMG_1.CR3", .raw, hours: 1, captured: "2026-06-13T15:00:00")
        #expect(shots.lines() == [[3, 4], [1, 2]], "one of each kind")
        shots.add("IMG_1.HEIC", .heif, hours: 2, captured: "2026-06-14T09:00:00")
        #expect(shots.lines() == [[5], [3, 4], [1, 2]], "of another time")
        shots.add("IMG_1.XMP", .sidecar, hours: 3)
        #expect(shots.lines() == [[5, 6], [3, 4], [1, 2]], "with the picture that came last")
        shots.add("IMG_1.TIF", .image, hours: 100)
        #expect(shots.lines().first == [7], "nobody knows when it was taken, and it came much later")
    }

    @Test func chaptersOfAClipAreOneShot() {
        var shots = Shots()
        for number in 1...3 { shots.add("GX0\(number)0001.MP4", .video) }
        #expect(shots.lines() == [[1, 2, 3]])
        shots.add("GX010001.MP4", .video, hours: 1)
        #expect(shots.lines() == [[4], [1, 2, 3]])
    }

    @Test func ofVeryManyFilesOfOneNameTheLaterAreAlone() {
        var shots = Shots()
        for number in 0..<FrameShots.most { shots.add("x.\(number)", .other) }
        #expect(shots.lines().count == 1)
        for number in 0..<5000 { shots.add("x.more\(number)", .other) }
        #expect(shots.lines().count == 100, "as many as were asked for")
        #expect(shots.lines().allSatisfy { $0.count == 1 })
    }
}
