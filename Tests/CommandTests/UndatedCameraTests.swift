import Foundation
import TestThreads
import Testing

/// A body whose clock was never set, and whose numbers begin again: other pictures under the names and sizes of those
/// that were taken.
@Suite(.ownThreads, .serialized) struct UndatedCameraTests {
    /// Five pictures of 5,000 bytes, all dated alike.
    private func fill(_ table: Table, _ value: UInt8, _ date: Date) throws {
        let folder = table.card + "/DCIM/100CANON"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 1...5 {
            let path = "\(folder)/IMG_000\(number).ARW"
            try (Data([value, UInt8(number)]) + Data(repeating: value, count: 4998)).write(
                to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
    }

    @Test(arguments: [true, false]) func otherPicturesAreKnownOnlyByAClockThatWasSet(_ isSet: Bool) throws {
        let table = try Table(), date = Date(timeIntervalSince1970: isSet ? 1_779_000_000 : 315_532_800)
        try fill(table, 1, date)
        func take() throws -> Program.Outcome {
            let camera = try Simulated("ptp", card: table.card)
            defer { withExtendedLifetime(camera) {} }
            let outcome = try table.run(["import", "--camera", "127.0.0.1:\(camera.port)", "--to", table.archive])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome
        }
        #expect(try take().count("delivered") == 5)
        // The very same are not delivered twice, whether they are read again or not.
        let again = try take()
        #expect(again.count("alreadySeen") == (isSet ? 5 : 0) && again.count("duplicate") == (isSet ? 0 : 5))
        guard !isSet else { return }
        try fill(table, 2, date)
        #expect(try take().count("delivered") == 5)
        #expect(table.files(table.archive).count == 10)
    }
}
