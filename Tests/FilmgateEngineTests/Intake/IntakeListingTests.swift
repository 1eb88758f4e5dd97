import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What is settled from a listing alone.
@Suite struct IntakeListingTests {
    private let origin = Origin(
        source: "ftp", volume: "ftp:/inbox", root: "/inbox", path: "ann/IMG_1.JPG", size: 10,
        modified: 1_779_000_000_000_000_000)

    private func settled(
        cancelled: [String], done: [String] = [], refusal: String? = "no", ending: Ending? = .filtered
    ) -> [AssetResult] {
        var known = KnownFile(
            fingerprint: origin.fingerprint, content: ContentKey(rawValue: "bytes"), kind: .jpeg, ending: ending,
            make: nil, model: nil, serial: nil, owner: nil, captured: nil, done: done, shot: "a")
        known.cancelled = cancelled
        var rules = IntakeListing.Rules(
            recognition: Recognition([known], hourShift: false), acceptable: [.jpeg], again: false,
            wanted: WantedCache { _, _ in done + ["http:gallery"] }, refusal: { _, _ in refusal })
        rules.targetNames = ["http:gallery": "gallery"]
        return Array(
            IntakeListing(
                [SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "IMG_1"))], rules: rules
            ).settled)
    }

    /// An inbox gives up what rules leave out; what somebody took back has a receipt that says so, as when it is read.
    @Test func whatWasTakenBackIsToldApartFromWhatRulesLeaveOut() throws {
        let taken = try #require(settled(cancelled: ["http:gallery"]).first)
        let left = try #require(settled(cancelled: []).first)
        #expect(taken.ending == .filtered && taken.asset.receipts["gallery"]?.reason == DeliveryRow.cancelledReason)
        #expect(left.ending == .filtered && left.asset.receipts.isEmpty)
        #expect(taken.takenBack == ["gallery"] && left.takenBack.isEmpty)
    }

    /// Nobody else would say what became of it: the run that read it broke off, as with `--again`.
    @Test(arguments: [(nil, true), (Ending.pending, true), (.setAside, true), (.delivered, false), (.duplicate, false)])
    func whatHasNoEndingIsToldFromWhatHas(_ ending: Ending?, isUnfinished: Bool) throws {
        let done = ["folder:/a", "http:gallery"]
        let seen = try #require(settled(cancelled: [], done: done, refusal: nil, ending: ending).first)
        #expect(seen.ending == .alreadySeen && seen.wasUnfinished == isUnfinished)
    }

    /// Delivered elsewhere, it is no less taken back there, and says how it comes to be sent.
    @Test func whatWasTakenBackAtOneTargetSaysSo() throws {
        let seen = try #require(settled(cancelled: ["http:gallery"], done: ["folder:/a"], refusal: nil).first)
        #expect(seen.ending == .alreadySeen && seen.takenBack == ["gallery"] && seen.asset.receipts.isEmpty)
        #expect(seen.reason?.hasSuffix("; gallery: \(DeliveryRow.cancelledReason)") == true, "\(seen.reason ?? "")")
    }

    private func known(_ entry: SourceEntry, done: [String]) -> KnownFile {
        KnownFile(
            fingerprint: entry.origin.fingerprint, content: ContentKey(rawValue: entry.origin.name), kind: entry.kind,
            ending: .pending, make: nil, model: nil, serial: nil, owner: nil, captured: nil, done: done, shot: "a")
    }

    /// It has its ending from what it waits for; another target that wants it has to be given it all the same.
    @Test(arguments: [(["http:gallery"], 0), (["http:gallery", "folder:/b"], 1), ([], 0)] as [([String], Int)])
    func whatAnEarlierRunLeftIsReadForOthersAlone(_ wanted: [String], _ read: Int) {
        let entry = SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "IMG_1"))
        let recognition = Recognition([known(entry, done: ["folder:/a"])], hourShift: false)
        var rules = IntakeListing.Rules(
            recognition: recognition, acceptable: [.jpeg], again: false,
            wanted: WantedCache { _, _ in ["folder:/a"] + wanted })
        rules.left = [origin.id: ["http:gallery"]]
        let listing = IntakeListing([entry], rules: rules)
        #expect(listing.shotCount == read && Array(listing.settled).isEmpty)
    }

    /// The RAW waits, and no other target wants it: it is not read, and decides for its JPEG, which is.
    @Test func whatIsLeftStillSpeaksForItsShot() {
        let shot = ShotPlace(key: "a", stem: "IMG_1")
        let entries = [("CR3", MediaKind.raw), ("JPG", .jpeg)].map { ext, kind in
            let origin = Origin(
                source: "card", volume: "v", root: "/card", path: "IMG_1.\(ext)", size: 10,
                modified: 1_779_000_000_000_000_000)
            return SourceEntry(origin: origin, kind: kind, shot: shot)
        }
        let recognition = Recognition(entries.map { known($0, done: []) }, hourShift: false)
        var rules = IntakeListing.Rules(
            recognition: recognition, acceptable: [.raw, .jpeg], again: false,
            wanted: WantedCache { file, _ in file.kind == .raw ? ["picks"] : ["picks", "backup"] })
        for entry in entries { rules.left[entry.origin.id] = ["picks"] }
        let listing = IntakeListing(entries, rules: rules), members = listing.work(0).members
        #expect(listing.shotCount == 1 && listing.bytes == 10 && Array(listing.settled).isEmpty)
        #expect(members.map(\.settled) == [true, false] && members.map(\.speaks) == [true, false])
    }
    /// What was asked of.
    private final class Asked: Sendable { let names = Mutex<[String]>([]) }

    /// Its shots and endings are made for hours: they are by what was found while it was sorted out.
    @Test func aListingAsksOnceForFilesThatAreAlike() {
        let entries = (1...3).map { number in
            let origin = Origin(
                source: "card", volume: "v", root: "/card", path: "IMG_\(number).JPG", size: 10,
                modified: 1_779_000_000_000_000_000)
            return SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "\(number)", stem: "IMG_\(number)"))
        }
        let asked = Asked(), recognition = Recognition(entries.map { known($0, done: ["folder:/a"]) }, hourShift: false)
        let rules = IntakeListing.Rules(
            recognition: recognition, acceptable: [.jpeg], again: false,
            wanted: WantedCache(by: WantedCache.Parts()) { file, _ in
                asked.names.withLock { $0.append(file.name) }
                return ["folder:/b"]
            })
        let listing = IntakeListing(entries, rules: rules)
        let areSettled = (0..<listing.shotCount).map { listing.work($0).members.map(\.settled) }
        #expect(areSettled == [[false], [false], [false]])
        #expect(asked.names.withLock(\.self) == ["IMG_1.JPG"])
    }
}
