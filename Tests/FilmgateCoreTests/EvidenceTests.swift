import Testing

@testable import FilmgateCore

/// A listing counts as knowledge of bytes only where it proves it: a file that is taken for known and is another one is
/// a lost picture.
@Suite struct EvidenceTests {
    private static let noon: Int64 = 1_779_000_000_000_000_000, hour: Int64 = 3_600_000_000_000
    private static let medium = MediumIdentity(labels: ["EOS_DIGITAL"], guid: []).number

    private func facts(
        _ modified: Int64 = EvidenceTests.noon, born: Int64 = 0, inode: UInt64 = 0, changed: Int64 = 0,
        path: String = "DCIM/A.ARW", size: UInt64 = 40_000_000
    ) -> Fingerprint {
        Fingerprint(path: path, size: size, modified: modified, born: born, inode: inode, changed: changed)
    }

    @Test(arguments: [
        0, 1, -1, 315_532_800, 315_619_199, -2_082_844_800, 946_684_800, 946_688_800, 946_681_200,
        Int64.min / 1_000_000_000,
    ])
    func aClockThatWasNeverSetGivesNoDate(_ seconds: Int64) {
        let time = seconds * 1_000_000_000
        #expect(!Evidence.isDate(time))
        #expect(!Evidence.proves(facts(time, inode: Self.medium), isSameAs: facts(time, inode: Self.medium)))
        #expect(!Evidence.proves(facts(time, born: Self.noon), isSameAs: facts(time, born: Self.noon)))
        #expect(!Evidence.proves(facts(born: time == 0 ? 1 : time), isSameAs: facts(born: time == 0 ? 1 : time)))
        // What no program can set stands for itself.
        #expect(Evidence.proves(facts(time, inode: 5, changed: 9), isSameAs: facts(time, inode: 5, changed: 9)))
    }

    private func time(_ text: String) throws -> Int64 { try #require(CivilTime(text)).civilSeconds * 1_000_000_000 }

    /// Whatever year a make begins with, and however long the battery has been in that day.
    @Test(arguments: [
        "2012-01-01T00:00:00", "2021-01-01T00:00:59", "2014-01-01T00:01:00", "2018-01-01T13:30:00",
        "2014-01-01T23:59:59",
    ])
    func aClockThatBeganAnewGivesNoDate(_ text: String) throws {
        let time = try time(text)
        #expect(!Evidence.isDate(time))
        #expect(!Evidence.proves(facts(time, inode: Self.medium), isSameAs: facts(time, inode: Self.medium)))
        #expect(!Evidence.proves(facts(time, born: time), isSameAs: facts(time, born: time)))
        #expect(Evidence.proves(facts(time, inode: 5, changed: 9), isSameAs: facts(time, inode: 5, changed: 9)))
    }

    /// A card's times are told as UTC by a kernel that took them for those of this machine's zone.
    @Test(arguments: [
        // Central Europe: the body's clock showed 0:01, 9:00 and 23:59 of that day.
        ("2013-12-31T23:01:00", 1, false), ("2014-01-01T08:00:00", 1, false), ("2014-01-01T22:59:00", 1, false),
        ("2013-12-31T20:00:00", 1, true), ("2014-01-02T00:00:00", 1, true), ("2014-05-17T23:30:00", 1, true),
        // California, until its midnight; Auckland, from its.
        ("2014-01-02T04:00:00", -8, false), ("2014-01-02T08:00:00", -8, true), ("2013-12-31T20:00:00", -8, true),
        ("2013-12-31T11:01:00", 13, false), ("2013-12-31T10:59:00", 13, true),
        // Where the machine goes by UTC nothing else is doubted.
        ("2013-12-31T23:59:59", 0, true), ("2014-01-02T00:00:00", 0, true),
    ])
    func onACardItIsThatDayByTheMachinesZone(_ text: String, _ hours: Int64, _ isDate: Bool) throws {
        let time = try time(text), zone = { (_: Int64) in hours * 3600 }
        let expected: Evidence = isDate ? .date : .nothing
        #expect(Evidence(facts(time), zone: zone) == expected)
        #expect(Evidence(facts(time, born: time), zone: zone) == expected)
        #expect(Evidence(facts(Self.noon, born: time), zone: zone) == expected)
        // What cameras tell is their own time, and a status stands for itself.
        let isDay = text.hasPrefix("2014-01-01")
        #expect(Evidence(facts(time, inode: Self.medium), zone: zone) == (isDay ? .nothing : .date))
        #expect(Evidence(facts(time, inode: 5, changed: 9), zone: zone) == .status)
    }

    /// The kernel was told the zone's offset in summer, or in winter.
    @Test func summerTimeIsThoughtOf() throws {
        let time = try time("2013-12-31T22:01:00")
        #expect(Evidence(facts(time), zone: { $0 < 1_400_000_000 ? 3600 : 7200 }) == .nothing)
        #expect(Evidence(facts(time), zone: { _ in 3600 }) == .date)
    }

    /// Who works at New Year reads nothing twice that month; the machine's clock tells it from a clock that began anew.
    @Test(arguments: [
        ("2027-01-01T09:00:00", true), ("2027-01-31T20:00:00", true), ("2026-12-31T15:00:00", true),
        ("2027-02-02T00:00:00", false), ("2028-01-01T00:10:00", false), ("2026-12-30T00:00:00", false),
        ("1970-01-01T00:00:00", false),
    ])
    func newYearIsADateForAMonth(_ now: String, _ isDate: Bool) throws {
        let taken = try time("2027-01-01T00:05:00"), present = try time(now)
        #expect(Evidence.isDate(taken, now: present) == isDate)
    }

    @Test(arguments: ["1996-07-01T12:00:00", "2025-12-31T23:59:59", "2026-01-02T00:00:00", "2026-05-17T00:00:00"])
    func othersAreDates(_ text: String) throws {
        #expect(Evidence.isDate(try time(text)))
    }

    @Test func aMediumIsToldByItsLabelsAndBodiesByTheirGUID() {
        func medium(_ label: String, _ guid: [UInt8] = []) -> MediumIdentity {
            MediumIdentity(labels: [label], guid: guid)
        }
        #expect(
            medium("VOL1").isSame(as: medium("VOL1")) && !medium("VOL1").isSame(as: medium("VOL2"))
                && !medium("").isSame(as: medium("VOL1")))
        #expect(medium("A", [1]).isSame(as: medium("A", [1])) && !medium("A", [1]).isSame(as: medium("A", [2])))
        // Over USB no GUID is told.
        #expect(medium("A", [1]).isSame(as: medium("A")) && medium("A").isSame(as: medium("A", [2])))
        #expect(!MediumIdentity(labels: ["A", ""], guid: []).isSame(as: MediumIdentity(labels: ["", "A"], guid: [])))
    }

    @Test(arguments: [1, -2, 24]) func aZoneChangeMovesBirthAndModificationTogether(_ hours: Int64) {
        let old = facts(born: Self.noon - 5), shift = hours * Self.hour
        #expect(Evidence.proves(facts(Self.noon + shift, born: Self.noon - 5 + shift), isSameAs: old, hourShift: true))
        #expect(!Evidence.proves(facts(Self.noon + shift, born: Self.noon - 5 + shift), isSameAs: old))
        #expect(!Evidence.proves(facts(Self.noon + shift, born: Self.noon - 5), isSameAs: old, hourShift: true))
        #expect(!Evidence.proves(facts(Self.noon + shift, born: Self.noon - 4 + shift), isSameAs: old, hourShift: true))
        #expect(!Evidence.proves(facts(Self.noon + shift), isSameAs: facts(), hourShift: true))
        #expect(
            !Evidence.proves(
                facts(Self.noon + shift, inode: Self.medium), isSameAs: facts(inode: Self.medium), hourShift: true))
    }

    @Test func aFileOfADumpWhoseTimeMovedWasNotTouchedOnlyWhereItsStatusStayed() {
        let old = facts(inode: 5, changed: 9)
        #expect(Evidence.proves(facts(Self.noon + 5 * Self.hour, inode: 5, changed: 9), isSameAs: old, hourShift: true))
        #expect(
            !Evidence.proves(facts(Self.noon + 5 * Self.hour, inode: 5, changed: 10), isSameAs: old, hourShift: true))
        #expect(
            !Evidence.proves(facts(Self.noon + 25 * Self.hour, inode: 5, changed: 9), isSameAs: old, hourShift: true))
    }

    // MARK: Sources that lie

    /// A place at a source, as it really is: its bytes, and which part of the evidence tells it from the others.
    private struct Source {
        enum Kind: CaseIterable { case card, dump, camera, module }
        let kind: Kind
        var modified: Int64, born: Int64, inode: UInt64, changed: Int64, path: String, size: UInt64, label: UInt8
        var guid: UInt8

        init(_ random: inout some RandomNumberGenerator) {
            kind = Kind.allCases.randomElement(using: &random) ?? .card
            (modified, path, size) = (
                Self.times.randomElement(using: &random) ?? 0, "DCIM/\(Int.random(in: 0..<2, using: &random))", 10
            )
            born = kind == .card ? modified - 3 : 0
            inode = kind == .dump ? 5 : 0
            changed = kind == .dump ? 77 : 0
            (label, guid) =
                kind == .camera
                ? (UInt8.random(in: 0..<3, using: &random), UInt8.random(in: 0..<3, using: &random)) : (0, 0)
        }

        /// Real ones, none at all, and those of clocks that were never set.
        static let times: [Int64] = [noon, noon + 7_000_000_000, 0, 315_532_800_000_000_000, 946_684_805_000_000_000]

        /// One part other than it was, or gone.
        mutating func lie(_ random: inout some RandomNumberGenerator) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: modified = Self.times.randomElement(using: &random) ?? 0
            case 1 where kind == .card: born = Bool.random(using: &random) ? born + 10_000_000 : 0
            case 2 where kind == .dump: changed += 1
            case 3 where kind == .dump: inode += 1
            case 4 where kind == .camera: label = UInt8.random(in: 0..<3, using: &random)
            case 5 where kind == .camera: guid = UInt8.random(in: 0..<3, using: &random)
            case 6: size += 1
            case 7:
                modified += 2 * hour
                if Bool.random(using: &random), born != 0 { born += 2 * hour }
            default: path = "DCIM/\(Int.random(in: 0..<2, using: &random))"
            }
        }

        var facts: Fingerprint {
            let medium = MediumIdentity(labels: [label == 0 ? "" : "SD\(label)"], guid: guid == 0 ? [] : [guid])
            return Fingerprint(
                path: path, size: size, modified: modified, born: born, inode: kind == .camera ? medium.number : inode,
                changed: changed)
        }

        /// Whether the two can only be one file, by the words of the rule and not by its code.
        func isProven(sameAs other: Source, hourShift: Bool) -> Bool {
            guard kind == other.kind, path == other.path, size == other.size, label == other.label, inode == other.inode
            else {
                return false
            }
            if guid != other.guid, guid != 0, other.guid != 0 { return false }
            let moved = modified - other.modified
            let isHours = hourShift && moved != 0 && moved % hour == 0 && abs(moved) <= 24 * hour
            if kind == .dump { return changed == other.changed && (moved == 0 || isHours) }
            let sane: Int64 = 946_684_800_000_000_000 + 200_000_000_000_000
            let hasDate = modified > sane && (born == 0 || born > sane)
            guard hasDate else { return false }
            if moved == 0 { return born == other.born }
            return isHours && kind == .card && born != 0 && born - other.born == moved
        }
    }

    /// 100,000 sequences of visits to sources that lie about each part of what they tell, or leave it out.
    @Test func noFileIsKnownWhoseEvidenceIsMissingOrDiffers() {
        var random = SeededGenerator(2026), known = 0
        for _ in 0..<100_000 {
            var source = Source(&random), remembered: [Source] = []
            for _ in 0..<5 {
                for hourShift in [false, true] {
                    let isKnown = remembered.contains {
                        Evidence.proves(source.facts, isSameAs: $0.facts, hourShift: hourShift)
                    }
                    let isProven = remembered.contains { source.isProven(sameAs: $0, hourShift: hourShift) }
                    #expect(
                        isKnown == isProven, "\(source.facts) after \(remembered.map(\.facts)), hour shift \(hourShift)"
                    )
                    known += isKnown ? 1 : 0
                }
                remembered.append(source)
                for _ in 0..<Int.random(in: 0..<3, using: &random) { source.lie(&random) }
            }
        }
        // It tried both.
        #expect(known > 50_000 && known < 750_000)
    }
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
