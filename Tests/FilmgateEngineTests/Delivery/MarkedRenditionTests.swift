import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Pictures that carry what people marked, at a gallery that keeps whatever it is sent.
@Suite struct MarkedRenditionTests {
    /// Whose first answer is lost.
    private final class Gallery: UploadTarget {
        private let kept: Mutex<[String]>
        var traits: TargetTraits { TargetTraits(identity: "gallery", idempotent: false) }
        var digests: [String] { kept.withLock(\.self) }

        init(_ digests: [String] = []) { kept = Mutex(digests) }
        func check() async throws(IngestError) {}
        func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
            let sha256 = job.digests.sha256
            return digests.contains(sha256) ? Receipt(state: .done, id: sha256, verified: .server, existed: true) : nil
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let isFirst = kept.withLock { kept in
                kept.append(job.digests.sha256)
                return kept.count == 1
            }
            if isFirst { throw IngestError(.network, "No answer.") }
            return Receipt(state: .done, id: job.digests.sha256)
        }
    }

    /// Somebody goes on rating: each time that it is asked, the picture has another mark.
    private final class Ratings: Ledger, LedgerStandIn {
        private let state = Mutex<(asked: Int, rows: [DeliveryRow])>((0, []))
        var rows: [DeliveryRow] { state.withLock(\.rows) }

        func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] {
            var mark = PictureMark()
            mark.pick = .picked
            mark.rating = state.withLock { state in
                state.asked += 1
                return state.asked % 6
            }
            return Dictionary(uniqueKeysWithValues: sha256s.map { ($0, mark) })
        }
        func record(_ changes: [LedgerChange]) async throws(IngestError) {
            for case .delivery(let row) in changes { state.withLock { $0.rows.append(row) } }
        }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
    }

    /// Makes a file whose digest tells the rating.
    private struct Stamper: Stage {
        var traits: StageTraits {
            var traits = StageTraits()
            traits.stamps = true
            return traits
        }
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
        func marked(
            _ rendition: LocalFile, of asset: Asset, as mark: PictureMark, newFile: String,
            digests: Set<DigestAlgorithm>
        ) async throws(IngestError) -> Rendition? {
            guard FileManager.default.createFile(atPath: newFile, contents: Data([8])) else { return nil }
            return Rendition(
                file: LocalFile(path: newFile, size: 1, ownership: .staged),
                digests: Digests(sha256: "rated \(mark.rating ?? 0)"))
        }
    }

    private struct Bench {
        let folder =
            FileManager.default.temporaryDirectory.path + "/filmgate-marked-\(UInt64.random(in: 0...UInt64.max))"
        let ledger = Ratings(), statistics = RunStatistics(hub: EventHub())
        var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

        func send(to gallery: Gallery, _ change: (inout Delivery) -> Void = { _ in }) async throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in ["IMG_1.JPG", "made.part"] {
                #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([7])))
            }
            let origin = Origin(source: "card", volume: "v", root: folder, path: "IMG_1.JPG", size: 1, modified: 0)
            let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "1", stem: "IMG_1"))
            let rendition = LocalFile(path: folder + "/made.part", size: 1, ownership: .staged)
            let target = PlannedTarget(name: "gallery", target: gallery, workers: nil)
            let job = UploadJob(
                asset: asset, file: rendition, digests: Digests(sha256: "made"), path: "IMG_1.JPG", name: "IMG_1.JPG",
                values: TemplateValues())
            let content = ContentKey(rawValue: "1")
            var delivery = Delivery(
                id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
                listeners: [asset.id])
            delivery.rendition = rendition
            delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: "1", camera: nil)
            change(&delivery)
            var setup = DeliverySchedulerSetup(
                targets: [target], ledger: ledger, hub: EventHub(), statistics: statistics,
                reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: nil)
            (setup.stages, setup.backoff) = ([Stamper()], Backoff(first: .milliseconds(1), cap: .milliseconds(2)))
            let scheduler = DeliveryScheduler(setup)
            let bytes = LocalFile(path: folder + "/IMG_1.JPG", size: 1, ownership: .source)
            await scheduler.submit(
                AssetDeliveries(
                    asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
                deliveries: [delivery])
            await scheduler.drain(wait: .seconds(600))
            await scheduler.closeOut()
        }
    }

    /// The gallery has it, and is asked for the bytes that it was sent.
    @Test func aMarkBetweenTwoTriesMakesNoSecondPicture() async throws {
        let bench = Bench(), gallery = Gallery()
        defer { try? FileManager.default.removeItem(atPath: bench.folder) }
        try await bench.send(to: gallery)
        #expect(gallery.digests.count == 1 && gallery.digests.first?.hasPrefix("rated") == true)
        let row = try #require(bench.ledger.rows.last)
        #expect(row.receipt.state == .done && row.receipt.sha256 == gallery.digests.first)
        // A later run would know those bytes, too.
        let failed = try #require(bench.ledger.rows.last { $0.attempts == 1 && $0.receipt.state == .pending })
        #expect(failed.receipt.sha256 == gallery.digests.first && failed.file?.hasSuffix(".marked.part") == true)
        #expect(bench.statistics.outcome(seconds: 0, signal: nil).summary[.delivered] == 1)
        #expect(bench.files == ["IMG_1.JPG"], "what was made is left")
    }

    /// What was sent is lost with its process, and the frame was stamped anew.
    @Test func whatAnEarlierRunSentIsAskedForFirst() async throws {
        let bench = Bench(), gallery = Gallery(["made before"])
        defer { try? FileManager.default.removeItem(atPath: bench.folder) }
        try await bench.send(to: gallery) { delivery in
            delivery.mayHaveArrived = true
            delivery.sentBefore = SentBytes(sha256: "made before", size: 5)
        }
        #expect(gallery.digests == ["made before"])
        let row = try #require(bench.ledger.rows.last)
        #expect(row.receipt.state == .done && row.receipt.sha256 == "made before" && row.size == 5)
        #expect(bench.files == ["IMG_1.JPG"], "what was made is left")
    }
}
