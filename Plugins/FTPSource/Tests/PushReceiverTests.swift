import FTPKit
import FilmgateCore
import Foundation
import Logging
import Testing

@testable import FTPSource

/// What takes the files of events, without a server.
@Suite(.timeLimit(.minutes(1))) struct PushReceiverTests {
    private let root = FileManager.default.temporaryDirectory.path + "/filmgate-ftp-\(UUID().uuidString)"
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func receiver(_ change: (inout FTPSource.Config) -> Void = { _ in }) -> PushReceiver {
        var config = FTPSource.Config()
        (config.settle, config.companions) = (.zero, .zero)
        change(&config)
        return PushReceiver(SourcePlace(source: "ftp", address: root, label: "port"), config, most: 2)
    }

    /// As the server takes it: safe on the disk, and nobody told yet.
    private func push(_ name: String, into inbox: FTPInbox) throws -> FTPFile {
        let upload = try inbox.begin(FTPClient(login: "ann", peer: ""), FTPPath(name, from: .root), from: 0)
        try Array(PushScene.jpeg(900)).withUnsafeBytes { try upload.write($0) }
        return try upload.finish()
    }

    /// The first files of an event come before anybody listens at its place: they are found there, and their clients
    /// wait for what becomes of them.
    @Test(arguments: [true, false]) func whatIsFoundIsConfirmedToWhoeverSentIt(_ isToldBefore: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let receiver = receiver { ($0.confirm, $0.confirmWithin) = (.delivered("bucket"), .seconds(3600)) }
        let intake = try receiver.intake(for: "smith"), client = intake.destination().receiver()
        let file = try push("IMG_1.JPG", into: intake.inbox)
        var answer = isToldBefore ? client.tell(.received(file, abandoned: false)) : nil
        let session = FTPPushSession(intake, receiver, logger: logger), found = try await session.entries()
        if !isToldBefore { answer = client.tell(.received(file, abandoned: false)) }
        #expect(found.map(\.origin.path) == ["ann/IMG_1.JPG"])
        var news = try await session.arrivals().makeAsyncIterator()
        // Whatever was to be said of the first file is said when the next one comes.
        _ = client.tell(.received(try push("IMG_2.JPG", into: intake.inbox), abandoned: false))
        guard case .arrived(let next)? = await news.next() else {
            Issue.record("Nothing arrived.")
            return
        }
        #expect(next.origin.path == "ann/IMG_2.JPG")
        session.delivered(try #require(found.first).origin, to: "bucket")
        let asked = try #require(answer)
        #expect(await asked() == nil)
        await session.close()
    }

    /// Between two who hand files on: who was told of a file is asked about it, and knows of no target that has it.
    @Test func whoIsToldIsAsked() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let receiver = receiver { ($0.confirm, $0.confirmWithin) = (.delivered("bucket"), .seconds(3600)) }
        let intake = try receiver.intake(for: "smith"), destination = intake.destination()
        let first = FTPPushSession(intake, receiver, logger: logger)
        let file = try push("IMG_1.JPG", into: intake.inbox), client = destination.receiver()
        let answer = try #require(client.tell(.received(file, abandoned: false)))
        await first.close()
        let second = FTPPushSession(intake, receiver, logger: logger)
        #expect(await answer()?.contains("stopping") == true)
        await second.close()
    }

    /// So many events at once, and not so many ever.
    @Test func eventsThatNobodyPushesToGiveWay() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let receiver = receiver()
        _ = try receiver.intake(for: nil)
        var smith: FTPDestination? = try receiver.destination(for: "smith")
        let jones = FTPPushSession(try receiver.intake(for: "jones"), receiver, logger: logger)
        let before = try #require(try receiver.places().first { $0.event == "jones" })
        let miller = try receiver.destination(for: "miller")
        #expect(try receiver.places().map(\.event) == [nil, "miller", "smith"])
        // Whoever hands the files of Jones on may leave, and nobody pushes there meanwhile.
        var news = try await jones.arrivals().makeAsyncIterator()
        guard case .over? = await news.next() else {
            Issue.record("Nobody is told that it is over.")
            return
        }
        #expect(message { _ = try receiver.intake(for: "jones") }?.contains("jones is just being left") == true)
        await jones.close()
        #expect(!FileManager.default.fileExists(atPath: before.address))
        _ = try push("IMG_1.JPG", into: try #require(smith).inbox)
        smith = nil
        let full = message { _ = try receiver.intake(for: "jones") }
        #expect(full?.contains("miller (a login), smith (1 file)") == true, "\(full ?? "")")
        try withExtendedLifetime(miller) {
            for file in try receiver.intake(for: "smith").inbox.files() {
                try receiver.intake(for: "smith").inbox.remove(place: file.place, size: file.size)
            }
            // It comes back as another place.
            let again = try receiver.intake(for: "jones").place
            #expect(again.address == before.address && again.visit != before.visit)
            #expect(receiver.isThere(again) && !receiver.isThere(before))
            #expect(try receiver.places().map(\.event) == [nil, "jones", "miller"])
        }
    }

    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? IngestError)?.message }
    }
}
