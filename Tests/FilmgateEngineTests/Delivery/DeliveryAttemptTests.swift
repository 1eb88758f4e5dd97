import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// What is sent again with `--again`, by what a remote target says of the copy that it got before.
@Suite struct DeliveryAttemptTests {
    /// A gallery without names of ours.
    private final class Gallery: UploadTarget {
        let said: Verification, knowsIt: Bool?, uploads = Mutex(0)
        init(_ said: Verification, knowsIt: Bool? = nil) { (self.said, self.knowsIt) = (said, knowsIt) }
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
            knowsIt == true ? Receipt(state: .done, id: "known", verified: .server, existed: true) : nil
        }
        func knows(_ job: UploadJob) async throws(IngestError) -> Bool? { knowsIt }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            uploads.withLock { $0 += 1 }
            return Receipt(state: .done, id: "new")
        }
        func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification { said }
    }

    private func deliver(
        to gallery: Gallery, delivered: String = "1", denied: Denial? = nil, proof: Receipt.Proof = .server
    ) async throws -> (receipt: Receipt, uploads: Int, word: TargetAnswer) {
        let file =
            FileManager.default.temporaryDirectory.path + "/filmgate-courier-\(UInt64.random(in: 0...UInt64.max)).jpg"
        _ = FileManager.default.createFile(atPath: file, contents: Data([7]))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "IMG_1.JPG", size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "1", stem: "IMG_1"))
        let job = UploadJob(
            asset: asset, file: LocalFile(path: file, size: 1, ownership: .source), digests: Digests(sha256: "1"),
            path: "IMG_1.JPG", name: "IMG_1.JPG", values: TemplateValues())
        let target = PlannedTarget(name: "gallery", target: gallery, workers: nil), content = ContentKey(rawValue: "1")
        var delivery = Delivery(
            id: Delivery.ID(content: content, target: "gallery"), job: job, target: target, listeners: [asset.id])
        delivery.recheck = DeliveryRow(
            content: content, target: "gallery", targetName: "gallery",
            receipt: Receipt(state: .done, id: "old", sha256: delivered, verified: proof), size: 1, path: "")
        delivery.recheck?.denial = denied
        let carried = try await DeliveryAttempt.deliver(delivery)
        return (carried.receipt, gallery.uploads.withLock(\.self), carried.word)
    }

    /// It shows nothing at the copy's address, and says by the digest that it has none.
    @Test func whatATargetSaysItNoLongerHasIsSentAgain() async throws {
        let gone = try await deliver(to: Gallery(.cannotTell, knowsIt: false))
        #expect(gone.uploads == 1 && gone.receipt.id == "new" && gone.receipt.reason?.contains("removed") == true)
        let there = try await deliver(to: Gallery(.cannotTell, knowsIt: true))
        #expect(there.uploads == 0 && there.receipt.id == "old" && there.receipt.existed)
    }

    /// It may be a rendering of what it was sent: only its word by the digest tells.
    @Test func aCopyThatDiffersIsSentAgainOnlyWhereTheTargetSaysThatItHasNone() async throws {
        let shown = try await deliver(to: Gallery(.differs("It has 512 bytes instead of 1000.")))
        #expect(shown.uploads == 0 && shown.receipt.id == "old" && shown.receipt.existed)
        #expect(
            shown.receipt.reason?.contains("512 bytes") == true
                && shown.receipt.reason?.contains("remove it there") == true)
        let changed = try await deliver(to: Gallery(.differs("It has 512 bytes instead of 1000."), knowsIt: false))
        #expect(
            changed.uploads == 1 && changed.receipt.id == "new" && changed.receipt.reason?.contains("512 bytes") == true
        )
        // It has the bytes elsewhere: nothing is sent, and what became of the copy is said all the same.
        let elsewhere = try await deliver(to: Gallery(.differs("It has 512 bytes instead of 1000."), knowsIt: true))
        #expect(elsewhere.uploads == 0 && elsewhere.receipt.id == "known")
        #expect(elsewhere.receipt.existed && elsewhere.receipt.reason?.contains("512 bytes") == true)
    }

    /// A frame that is stamped otherwise by now has bytes that the target never had.
    @Test func whatWasDeliveredWithAnotherStampIsNotAskedForByTheNewDigest() async throws {
        let result = try await deliver(to: Gallery(.cannotTell, knowsIt: false), delivered: "2")
        #expect(result.uploads == 0 && result.receipt.id == "old")
    }

    /// Its last word was that it has them not: nothing is believed against that, and no second asset can come of it.
    @Test func whatATargetDeniedIsSentAgainUntilItSaysOtherwise() async throws {
        let denied = Denial(.gone, "gone", at: 1)
        let silent = try await deliver(to: Gallery(.cannotTell), denied: denied)
        #expect(silent.uploads == 1 && silent.word == .has)
        // Bytes that can still be read at the address of earlier, as from a cache, are no answer to that.
        let cached = try await deliver(to: Gallery(.equal, knowsIt: false), denied: denied)
        #expect(cached.uploads == 1 && cached.receipt.id == "new")
        let back = try await deliver(to: Gallery(.equal), denied: denied)
        #expect(back.uploads == 0 && back.word == .has)
    }

    /// Only what the target said of the bytes is written down, and a belief is no word.
    @Test func aDeliveryIsNoWordWhereTheTargetIsOnlyBelieved() async throws {
        #expect(try await deliver(to: Gallery(.cannotTell)).word == .silent)
        #expect(try await deliver(to: Gallery(.cannotTell, knowsIt: true)).word == .has)
        #expect(try await deliver(to: Gallery(.differs("other"))).word == .denies(.differs, "other"))
    }

    /// It stays one until the target itself has spoken, whatever is said of the delivery meanwhile.
    @Test func anotherStationsWordStaysOneUntilTheTargetHasSpoken() async throws {
        for gallery in [Gallery(.cannotTell), Gallery(.differs("other"))] {
            let result = try await deliver(to: gallery, proof: .hearsay)
            #expect(result.uploads == 0 && result.receipt.isHearsay)
        }
        for gallery in [Gallery(.equal), Gallery(.cannotTell, knowsIt: true)] {
            let result = try await deliver(to: gallery, proof: .hearsay)
            #expect(result.uploads == 0 && !result.receipt.isHearsay && result.receipt.existed)
        }
        #expect(try await deliver(to: Gallery(.equal)).receipt.verified == .server)
    }

    /// Sending again could make a second asset.
    @Test func whereNobodyCanTellItIsLeftAtThat() async throws {
        let result = try await deliver(to: Gallery(.cannotTell))
        #expect(result.uploads == 0 && result.receipt.existed && result.receipt.reason?.contains("cannot say") == true)
    }
}
