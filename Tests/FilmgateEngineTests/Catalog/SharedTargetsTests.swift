import FilmgateCore
import FilmgateTesting
import Foundation
import Testing

@testable import FilmgateEngine

/// What makes two stations' targets one: nothing but an address that means the same machine everywhere, or the mark in
/// a folder.
@Suite struct SharedTargetsTests {
    private static func remote(_ address: String?, event: String? = nil) -> AcceptingTarget {
        var traits = TargetTraits(
            identity: (["http", address ?? "", "ann"] + [event].compactMap(\.self)).joined(separator: ":"))
        traits.address = address
        return AcceptingTarget(traits: traits)
    }

    private static func folder(_ root: String, event: String? = nil) -> AcceptingTarget {
        AcceptingTarget(
            traits: TargetTraits(
                identity: (["folder", root] + [event].compactMap(\.self)).joined(separator: ":"), localRoot: root))
    }

    private static func rule(_ names: [String], oneMachine: Bool = false) -> StationRule {
        var rule = StationRule()
        rule.share = names.compactMap { try? TargetReference(node: ConfigNode(.scalar($0, quoted: false))) }
        rule.oneMachine = oneMachine
        return rule
    }

    private static func temporary(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/filmgate-share-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test(arguments: [
        ("https://gallery.example/api", TargetReach.everywhere), ("https://ann@gallery.example:8443", .everywhere),
        ("https://203.0.113.9/", .everywhere), ("https://[2001:db8::7]/x", .everywhere),
        ("https://127.gallery.example/", .everywhere),
        ("http://localhost:8080/", .thisMachine), ("http://LOCALHOST./", .thisMachine),
        ("http://x.localhost/", .thisMachine),
        ("http://127.0.0.1:8080/", .thisMachine), ("http://127.9.9.9/", .thisMachine),
        ("http://0.0.0.0/", .thisMachine),
        ("http://[::1]:80/", .thisMachine), ("http://[::]/", .thisMachine), ("http://[0:0:0:0:0:0:0:1]/", .thisMachine),
        ("http://[::ffff:127.0.0.1]/", .thisMachine), ("http://user@127.0.0.1/", .thisMachine),
        ("http://evil.example@127.0.0.1/", .thisMachine), ("http://[::ffff:7f00:1]/", .unqualified),
        ("http://169.254.7.1/", .link), ("http://[fe80::1%25eth0]/", .link), ("http://nas.local/", .link),
        ("http://nas/", .unqualified), ("http://nas:8080/", .unqualified), ("http://2130706433/", .unqualified),
        ("http://127.1/", .unqualified),
        ("http://192.168.1.10/", .network), ("http://10.0.0.4/", .network), ("http://172.20.0.1/", .network),
        ("http://[fd00::1]/", .network),
        ("http://nas.lan/", .network),
    ])
    func fromWhereAnAddressMeansTheSame(_ address: String, _ reach: TargetReach) {
        #expect(TargetReach(address) == reach, "\(address)")
    }

    @Test func anAddressWithoutAHostHasNone() {
        #expect(TargetReach("remote:bucket") == nil)
        #expect(TargetReach("http:///x") == nil)
    }

    @Test func onlyWhatThePipelineNamesIsShared() {
        let targets = [
            ("gallery", Self.remote("https://gallery.example/api")),
            ("other", Self.remote("https://other.example/api")),
        ]
        let shared = SharedTargets(Self.rule(["gallery"]), targets, events: [])
        #expect(shared.common("http:https://gallery.example/api:ann") == "http:https://gallery.example/api:ann")
        #expect(
            shared.common("http:https://gallery.example/api:ann:wedding")
                == "http:https://gallery.example/api:ann:wedding")
        #expect(shared.common("http:https://gallery.example/api:anna") == nil)
        #expect(shared.common("http:https://other.example/api:ann") == nil)
        #expect(shared.refusals == [])
    }

    @Test func theEventOfTheRunIsNoPartOfThePlace() {
        let shared = SharedTargets(
            Self.rule(["gallery"]), [("gallery", Self.remote("https://gallery.example/api", event: "a"))], events: ["a"]
        )
        #expect(shared.common("http:https://gallery.example/api:ann:b") == "http:https://gallery.example/api:ann:b")
    }

    @Test(arguments: ["http://127.0.0.1:8080/", "http://nas/", "http://169.254.1.1/"])
    func addressesThatMeanAnotherMachineElsewhereAreNot(_ address: String) {
        let targets = [("gallery", Self.remote(address))]
        let shared = SharedTargets(Self.rule(["gallery"]), targets, events: [])
        #expect(
            shared.isEmpty && shared.refusals.map(\.target) == ["gallery"] && shared.refusals.first?.isWarning == false)
        let onOne = SharedTargets(Self.rule(["gallery"], oneMachine: true), targets, events: [])
        #expect(onOne.isEmpty == (address == "http://169.254.1.1/"))
    }

    @Test func whatNobodyKnowsTheAddressOfIsNotShared() {
        let shared = SharedTargets(
            Self.rule(["program"], oneMachine: true), [("program", Self.remote(nil))], events: [])
        #expect(shared.isEmpty && shared.refusals.count == 1)
    }

    @Test func anAddressOfOneNetworkIsSharedWithAWarning() {
        let shared = SharedTargets(Self.rule(["nas"]), [("nas", Self.remote("http://192.168.1.10/"))], events: [])
        #expect(!shared.isEmpty && shared.refusals.map(\.isWarning) == [true])
    }

    /// Two stations with `~/Pictures` at the same path: two places, whatever `share` says.
    @Test func equalPathsAreNoSharedFolder() throws {
        try Self.temporary { root in
            for names in [[], ["archive"]] {
                let shared = SharedTargets(Self.rule(names), [("archive", Self.folder(root))], events: [])
                #expect(shared.isEmpty && shared.common("folder:\(root)") == nil)
                #expect(shared.refusals.count == names.count)
            }
        }
    }

    @Test func theMarkMakesAFolderOneForAll() throws {
        try Self.temporary { first in
            try Self.temporary { second in
                let made = try SharedFolderFile.share(first)
                #expect(made.isNew && made.id.utf8.count == 32)
                #expect(try SharedFolderFile.share(first) == (made.id, false))
                // The same disk, mounted elsewhere.
                try FileManager.default.copyItem(
                    atPath: "\(first)/.filmgate-shared", toPath: "\(second)/.filmgate-shared")
                let one = SharedTargets(StationRule(), [("nas", Self.folder(first))], events: [])
                let two = SharedTargets(StationRule(), [("store", Self.folder(second, event: "a"))], events: ["a"])
                #expect(one.common("folder:\(first)") == "shared|\(made.id)")
                #expect(two.common("folder:\(second):b") == "shared|\(made.id)|b")
                #expect(one.common("folder:\(second)") == nil)
                #expect(one.common("folder:\(first)2") == nil)
                #expect(try FileManager.default.contentsOfDirectory(atPath: first) == [".filmgate-shared"])
            }
        }
    }

    @Test(arguments: [
        "", "short\n", String(repeating: "g", count: 32), String(repeating: "a", count: 33),
        String(repeating: "a", count: 32) + "\nmore",
    ])
    func whatIsNoIDSharesNothing(_ text: String) throws {
        try Self.temporary { root in
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/.filmgate-shared"))
            let shared = SharedTargets(Self.rule(["nas"]), [("nas", Self.folder(root))], events: [])
            #expect(shared.isEmpty && shared.refusals.count == 1)
            #expect(throws: IngestError.self) { try SharedFolderFile.share(root) }
        }
    }

    @Test func reportsSayWhatAllStationsSay() throws {
        try Self.temporary { root in
            let id = try SharedFolderFile.share(root).id
            let targets = [("nas", Self.folder(root)), ("gallery", Self.remote("https://g.example/"))]
            let shared = SharedTargets(Self.rule(["gallery"]), targets, events: [])
            var report = StationReport(since: 0, upTo: 3)
            for (target, receipt) in [
                ("folder:\(root)", "\(root)/2026/a.jpg"), ("folder:/pictures", "/pictures/a.jpg"),
                ("http:https://g.example/:ann", "https://g.example/1"),
            ] {
                var fact = DeliveryFact(
                    content: ContentKey(rawValue: "c"), target: target, targetName: "t", state: .done, proof: .server,
                    size: 1)
                fact.receipt = receipt
                report.deliveries.append(fact)
            }
            let told = shared.qualified(report).deliveries
            #expect(told.map(\.target) == ["shared|\(id)", "folder:/pictures", "http:https://g.example/:ann"])
            #expect(told.map(\.shared) == [true, false, true])
            #expect(told.map(\.receipt) == ["2026/a.jpg", "/pictures/a.jpg", "https://g.example/1"])
        }
    }

    /// A day offline with one pipeline, then a run with another; a shared folder whose disk is away meanwhile.
    @Test func whatAnotherPipelineDeliveredIsToldAsShared() throws {
        try Self.temporary { root in
            let id = try SharedFolderFile.share(root).id, kept = KeptSharedTargets(state: root + "/state")
            let gallery = ("gallery", Self.remote("https://g.example/")), nas = ("nas", Self.folder(root))
            var report = StationReport(since: 0, upTo: 3)
            for target in ["folder:\(root)", "folder:/pictures", "http:https://g.example/:ann"] {
                report.deliveries.append(
                    DeliveryFact(
                        content: ContentKey(rawValue: "c"), target: target, targetName: "t", state: .done, proof: .none,
                        size: 1))
            }
            report.deliveries[0].receipt = "\(root)/a.jpg"
            func told(_ names: [String], _ targets: [(String, AcceptingTarget)]) -> [DeliveryFact] {
                let claims = StationClaims(absent: "", station: "desk-3", whenAway: .deliver, kept: kept)
                claims.add(SharedTargets(Self.rule(names), targets, events: []))
                return claims.qualified(report).deliveries
            }
            _ = told(["gallery"], [gallery, nas])
            try FileManager.default.removeItem(atPath: "\(root)/\(SharedFolderFile.name)")
            let other = told([], [nas])
            #expect(other.map(\.target) == ["shared|\(id)", "folder:/pictures", "http:https://g.example/:ann"])
            #expect(other.map(\.shared) == [true, false, true] && other[0].receipt == "a.jpg")
            // A pipeline that has it and does not share it says something else, from then on.
            #expect(told([], [gallery]).map(\.shared) == [true, false, false])
            #expect(told([], []).map(\.shared) == [true, false, false])
        }
    }

    /// Neither the first copy nor those after it, until the catalogue is heard.
    @Test(.timeLimit(.minutes(1))) func aSharedFolderDoesNotWaitForAFrozenCatalogue() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-frozen-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let id = try SharedFolderFile.share(root).id, catalog = MemoryCatalog(), clock = ManualClock()
        let claims = StationClaims(catalog, station: "desk-3", clock: clock)
        claims.add(SharedTargets(Self.rule([]), [("nas", Self.folder(root))], events: []))
        func wish(_ number: Int, event: String = "") -> ClaimWish {
            ClaimWish(content: ContentKey(rawValue: "\(number)"), target: "shared|\(id)\(event)", targetName: "nas")
        }
        let first = wish(1), late = ClaimTable.Verdict.away("it has not answered in time")
        let waiting = Task { await claims.claim(first) }
        await clock.passNext(.milliseconds(250))
        #expect(await waiting.value == late)
        #expect(await claims.claim(wish(2)) == late)
        #expect(await claims.reserve(wish(3, event: "|wedding")) == late)
        let membership = try await catalog.join(StationIdentity(uuid: "a", name: "desk-3"))
        let session = try await catalog.open(membership, last: nil)
        await claims.note(session: session.token, since: clock.now.instant)
        #expect(await claims.claim(wish(4)) == .answer(.granted))
        #expect(catalog.claims == ["desk-3"])
    }
}
