import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What a listing alone says of files that were taken before.
@Suite struct RecognitionTests {
    private static let noon: Int64 = 1_779_000_000_000_000_000, hour: Int64 = 3_600_000_000_000

    private func origin(
        _ modified: Int64 = RecognitionTests.noon, born: Int64 = 0, inode: UInt64 = 0, changed: Int64 = 0,
        path: String = "DCIM/A.ARW"
    ) -> Origin {
        Origin(
            source: "s", volume: "v", root: "/r", path: path, size: 10, modified: modified, born: born, inode: inode,
            changed: changed)
    }

    private func known(_ origins: Origin...) -> [KnownFile] {
        origins.enumerated().map { number, origin in
            KnownFile(
                fingerprint: origin.fingerprint, content: ContentKey(rawValue: "content \(number)"), kind: .raw,
                ending: .delivered, make: nil,
                model: nil, serial: nil, owner: nil, captured: nil, done: ["archive"], shot: "a")
        }
    }

    @Test func equalFactsAreTheSameFile() {
        let files = Recognition(known(origin(), origin(path: "DCIM/B.ARW")), hourShift: false)
        #expect(files.position(of: origin()) == 0 && files.position(of: origin(path: "DCIM/B.ARW")) == 1)
        #expect(files.find(origin(Self.noon + 1)) == nil && files.find(origin(path: "DCIM/C.ARW")) == nil)
    }

    /// A clock that was never set, and numbers that begin again: constant-size RAW of another day.
    @Test(arguments: [0, 315_532_800_000_000_000]) func withoutADateNothingIsKnown(_ time: Int64) {
        let medium = MediumIdentity(labels: ["EOS_DIGITAL"], guid: [7]).number
        #expect(
            Recognition(known(origin(time, inode: medium)), hourShift: false).find(origin(time, inode: medium)) == nil)
    }

    @Test func anotherCardInTheSameBodyIsNotKnown() {
        func medium(_ label: String) -> UInt64 { MediumIdentity(labels: [label], guid: []).number }
        let files = Recognition(known(origin(inode: medium("VOL1"))), hourShift: false)
        #expect(files.find(origin(inode: medium("VOL1"))) != nil && files.find(origin(inode: medium("VOL2"))) == nil)
    }

    /// One byte was changed in place, and the time set by hours: only the status change tells.
    @Test func hourShiftBelievesTimesOnlyWhereBirthOrStatusAgree() {
        let dump = Recognition(known(origin(inode: 5, changed: 9)), hourShift: true)
        #expect(dump.find(origin(Self.noon + 5 * Self.hour, inode: 5, changed: 10)) == nil)
        #expect(dump.find(origin(Self.noon + 5 * Self.hour, inode: 5, changed: 9)) != nil)
        let card = Recognition(known(origin(born: Self.noon - 1)), hourShift: true)
        #expect(card.find(origin(Self.noon + Self.hour, born: Self.noon - 1)) == nil)
        #expect(card.find(origin(Self.noon + Self.hour, born: Self.noon - 1 + Self.hour)) != nil)
    }

    /// Numbers began again several times on one card: each of the files of that name and size is remembered.
    @Test func hourShiftKnowsAllFilesOfAName() {
        let day = 24 * Self.hour, shift = Self.hour
        let old = (0..<5).map { origin(Self.noon + Int64($0) * 7 * day, born: Self.noon + Int64($0) * 7 * day) }
        let files = Recognition(known(old[0], old[1], old[2], old[3], old[4]), hourShift: true)
        for (number, one) in old.enumerated() {
            #expect(files.position(of: origin(one.modified + shift, born: one.born + shift)) == Int32(number))
            #expect(files.position(of: one) == Int32(number))
        }
    }
}
