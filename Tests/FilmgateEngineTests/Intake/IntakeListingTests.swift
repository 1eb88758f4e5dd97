import FilmgateCore
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
            wanted: { _, _ in done + ["http:gallery"] }, refusal: { _, _ in refusal })
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
}
