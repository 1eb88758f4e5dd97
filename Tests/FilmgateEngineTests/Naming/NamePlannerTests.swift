import FilmgateCore
import FilmgateTesting
import Testing

@testable import FilmgateEngine

@Suite struct NamePlannerTests {
    private struct Target: UploadTarget {
        var traits = TargetTraits(identity: "t", layout: Template("{name}"))
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Has everything, from `first`.
    private struct Full: LedgerStandIn {
        let first: String
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            [
                DeliveryRow(
                    content: content, target: "t", targetName: "t", receipt: Receipt(state: .done), size: 1,
                    path: "A.JPG")
            ]
        }
        func twin(of content: ContentKey) async throws(IngestError) -> String? { first }
    }

    /// Another file of these bytes was delivered after `dedupe` had asked about this one.
    @Test(arguments: [("/card/B.JPG", "/card/B.JPG"), ("/card/A.JPG", nil)]) func aLateDuplicateNamesItsTwin(
        first: String, twin: String?
    ) async throws {
        let target = PlannedTarget(name: "t", target: Target(), workers: nil)
        let planner = NamePlanner(
            ledger: Full(first: first), targets: [target], profiles: ProfileSet(), reservations: NameReservations(),
            event: nil, photographer: nil, again: false,
            volumeLabel: "V", bodies: BodySerials(), trees: ClipTreeNames())
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
        (asset.file, asset.digests) = (
            LocalFile(path: "/card/A.JPG", size: 1, ownership: .source), Digests(sha256: "1")
        )
        let planned = try await planner.place([(asset, ["t"])], lead: asset, budget: [:])
        #expect(planned.first?.deliveries.isEmpty == true && planned.first?.assetDeliveries.twin == twin)
    }

    private struct Blank: LedgerStandIn {}

    private static func asset(_ name: String, day: Int64?) -> Asset {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "a", stem: "A"))
        (asset.file, asset.digests) = (
            LocalFile(path: "/card/" + name, size: 1, ownership: .source), Digests(sha256: name)
        )
        asset.media = MediaFacts()
        asset.media?.captured = day.flatMap { CivilTime(unixSeconds: $0 * 86_400) }
        return asset
    }

    private func paths(
        _ assets: [Asset], deliver: [String: DeliveryRule]? = nil, kinds: Set<MediaKind> = [],
        layout: String = "{captured:yyyy-MM-dd}/{name}", rename: String? = nil, station: String = ""
    ) async throws -> [String: String] {
        var target = Target()
        target.traits.layout = Template(layout)
        var profile = Profile()
        (profile.deliver, profile.rename) = (deliver, rename.flatMap { Template($0) })
        var planner = NamePlanner(
            ledger: Blank(), targets: [PlannedTarget(name: "t", target: target, workers: nil)],
            profiles: ProfileSet([profile]), reservations: NameReservations(), event: nil, photographer: nil,
            again: false, volumeLabel: "V", bodies: BodySerials(), trees: ClipTreeNames())
        planner.station = station
        var standing = ShotStanding()
        standing.kinds = kinds
        let planned = try await planner.place(
            assets.map { ($0, ["t"]) }, lead: assets[0], standing: standing, budget: [:])
        return planned.reduce(into: [:]) { paths, one in
            for delivery in one.deliveries { paths[one.assetDeliveries.asset.origin.name] = delivery.job.path }
        }
    }

    /// In a folder's name, in a file's, and in what a profile renames; a sidecar has its picture's.
    @Test func theStationsNameStandsInNames() async throws {
        let still = Self.asset("A.JPG", day: 20_000), settings = Self.asset("A.XMP", day: nil)
        #expect(
            try await paths([still, settings], layout: "{station}/{name}", station: "desk-3")
                == ["A.JPG": "desk-3/A.JPG", "A.XMP": "desk-3/A.XMP"])
        #expect(
            try await paths([still, settings], layout: "{name}", rename: "{station}-{counter:4}", station: "desk-3")
                == ["A.JPG": "desk-3-0001.JPG", "A.XMP": "desk-3-0001.XMP"])
    }

    /// Where stations share a target, the rest of a shot is claimed behind its primary.
    @Test(arguments: [true, false]) func theRestOfAShotKnowsItsPrimary(isSharing: Bool) async throws {
        let still = Self.asset("A.JPG", day: 20_000), clip = Self.asset("A.MOV", day: 20_000)
        let targets = ["t", "u"].map { name in
            var target = Target()
            target.traits.identity = name
            return PlannedTarget(name: name, target: target, workers: nil)
        }
        var planner = NamePlanner(
            ledger: Blank(), targets: targets, profiles: ProfileSet(), reservations: NameReservations(), event: nil,
            photographer: nil, again: false, volumeLabel: "V", bodies: BodySerials(), trees: ClipTreeNames())
        planner.isSharing = isSharing
        // The still goes to one of the targets only: at the other nobody waits for it.
        let planned = try await planner.place([(still, ["t"]), (clip, ["t", "u"])], lead: still, budget: [:])
        let leads: [String: ContentKey] = planned.flatMap(\.deliveries).reduce(into: [:]) {
            $0["\($1.job.name) \($1.id.target)"] = $1.lead
        }
        #expect(leads == (isSharing ? ["A.MOV t": ContentKey(rawValue: "A.JPG")] : [:]))
    }

    /// A name that came round again makes no shot: each lies at its own day, and what belongs to the still stays with
    /// it.
    @Test func aClipOfAnotherDayLiesAtItsOwn() async throws {
        let still = Self.asset("A.JPG", day: 20_000), old = Self.asset("A.MOV", day: 18_000)
        let settings = Self.asset("A.XMP", day: nil)
        #expect(
            try await paths([still, old, settings])
                == ["A.JPG": "2024-10-04/A.JPG", "A.MOV": "2019-04-14/A.MOV", "A.XMP": "2024-10-04/A.XMP"])
        // A movie's UTC may be the day before or after.
        #expect(try await paths([still, Self.asset("A.MOV", day: 20_001)])["A.MOV"] == "2024-10-04/A.MOV")
    }

    /// The still leads, and yet what follows the shot goes where its clip goes.
    @Test func sidecarsGoWhereTheVideoGoes() async throws {
        let still = Self.asset("A.HEIC", day: 20_000), clip = Self.asset("A.MOV", day: 20_000)
        let edits = Self.asset("A.AAE", day: nil)
        let delivered = try await paths(
            [still, clip, edits], deliver: ["t": [.video]], kinds: [.heif, .video, .sidecar])
        #expect(Set(delivered.keys) == ["A.MOV", "A.AAE"])
    }
}
