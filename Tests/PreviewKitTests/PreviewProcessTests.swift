import FilmgateCore
import PreviewWire
import TestThreads
import Testing

@testable import PreviewKit

/// The process that decodes, with pictures that are good, broken or made to break it.
@Suite(.ownThreads, .enabled(if: Decoder.isThere), .timeLimit(.minutes(5))) struct PreviewProcessTests {
    /// It gets only the time that nobody else wants, which beside all other tests may be none for a minute.
    private func process() throws -> PreviewProcess { try PreviewProcess(program: Decoder.program, patience: 240) }

    private func isPicture(_ jpeg: [UInt8]) -> Bool {
        jpeg.starts(with: [0xFF, 0xD8, 0xFF]) && jpeg.suffix(2) == [0xFF, 0xD9]
    }

    @Test func picturesComeSmallAndUpright() throws {
        let process = try process(), jpeg = Samples.jpeg(640, 424)
        for (orientation, size) in [1: (256, 170), 3: (256, 170), 6: (170, 256), 8: (170, 256)] {
            let made = try process.make(jpeg, orientation: orientation)
            #expect(made.reply.outcome == .done && isPicture(made.jpeg) && made.jpeg.count < jpeg.count)
            #expect(made.reply.width == size.0 && made.reply.height == size.1, "\(orientation): \(made.reply)")
        }
        #expect(try process.make(Samples.jpeg(100, 60)).reply.width == 100)
    }

    @Test func allPixelsComeWhereTheyAreAskedFor() throws {
        let made = try process().make(Samples.jpeg(5000, 120), longEdge: PreviewRequest.longestEdge)
        #expect(made.reply.outcome == .done && made.reply.width == 5000 && made.reply.height == 120, "\(made.reply)")
    }

    @Test func whatWouldNotFitIntoTheProcessIsRefusedBeforeItIsDecoded() throws {
        let process = try process(), large = try Samples.claiming(12_000, 9000, Samples.jpeg(64, 64))
        #expect(try process.make(large, longEdge: PreviewRequest.longestEdge).reply.outcome == .tooLarge)
        #expect(
            try process.make(large, longEdge: PreviewRequest.longestEdge, orientation: 6).reply.outcome == .tooLarge)
        // The process is still there, and the same bytes give a small picture.
        #expect(try process.make(large).reply.outcome != .tooLarge)
    }

    @Test func aColourProfileIsKept() throws {
        let profile = [UInt8](repeating: 0, count: 16) + Array("RGB ".utf8) + (0..<400).map { UInt8($0 % 251) }
        let length = profile.count + 16, head: [UInt8] = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
        var jpeg = Samples.jpeg(320, 200)
        jpeg.insert(contentsOf: head + Array("ICC_PROFILE\0".utf8) + [1, 1] + profile, at: 2)
        let made = try process().make(jpeg).jpeg
        #expect(made.indices.contains { made[$0...].starts(with: profile) })
    }

    @Test func whatIsThereOfACutPictureIsShown() throws {
        let process = try process(), jpeg = Samples.jpeg(640, 424)
        let made = try process.make(Array(jpeg.prefix(jpeg.count / 2)))
        #expect(made.reply.outcome == .damaged && isPicture(made.jpeg))
        var noisy = jpeg
        for place in stride(from: jpeg.count / 2, to: jpeg.count - 2, by: 97) { noisy[place] ^= 0x5A }
        #expect(isPicture(try process.make(noisy).jpeg))
    }

    @Test func aHEIFIsDecodedToo() throws {
        let process = try process(), heif = try Samples.heif(), made = try process.make(heif)
        #expect(made.reply.outcome == .done && isPicture(made.jpeg) && made.reply.width == 256, "\(made.reply)")
        for cut in [20, 200, heif.count / 2, heif.count - 100] {
            let made = try process.make(Array(heif.prefix(cut)))
            #expect(made.reply.outcome == .undecodable || made.reply.outcome == .done)
        }
        #expect(try process.make(heif).reply.outcome == .done)
    }

    @Test func whatIsNoPictureIsToldAndTheNextOneComes() throws {
        let process = try process(), jpeg = Samples.jpeg(64, 64)
        let others: [[UInt8]] = [
            [0], Array("GIF89a".utf8), [0xFF, 0xD8], Array(jpeg.prefix(200)), [UInt8](repeating: 0xFF, count: 100_000),
        ]
        for bytes in others {
            let made = try process.make(bytes)
            #expect(made.reply.outcome == .undecodable && made.jpeg.isEmpty)
        }
        #expect(try process.make(jpeg).reply.outcome == .done)
    }

    @Test func whatIsTooMuchIsRefused() throws {
        let process = try process(), jpeg = Samples.jpeg(64, 64)
        #expect(try process.make(Samples.claiming(65_500, 65_500, jpeg)).reply.outcome == .tooLarge)
        // Ten thousand scans in a few bytes each.
        let scan = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        let again = (0..<10_000).flatMap { _ in jpeg[scan..<(scan + 40)] }
        #expect(try process.make(Array(jpeg.dropLast(2)) + again + [0xFF, 0xD9]).reply.outcome == .tooLarge)
        // Many pixels of nothing cost a moment, and no more than that.
        let empty = try process.make(Samples.claiming(16_000, 12_000, jpeg))
        #expect(empty.reply.outcome == .damaged && empty.reply.width == 256)
        #expect(try process.make(jpeg).reply.outcome == .done)
    }

    @Test(arguments: 0..<60) func damageNeverHangsIt(_ seed: Int) throws {
        let process = try process()
        var random = SystemRandomNumberGenerator(), jpeg = Samples.jpeg(96, 64, seed: UInt64(seed))
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            jpeg[Int.random(in: 2..<jpeg.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        // It may even end the process: that is told, and nothing else happens.
        do throws(IngestError) {
            var request = PreviewRequest(length: jpeg.count, longEdge: 64, quality: 80)
            request.orientation = 1 + seed % 8
            _ = try process.make(request) { (offset, count) throws(IngestError) in
                Array(jpeg[offset..<(offset + count)])
            }
        } catch { #expect(error.code == .corruptData) }
    }
}

/// Programs that are not the decoder.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct OtherProcessTests {
    private func failure(_ script: String, patience: Int = 30) throws -> IngestError? {
        let process = try PreviewProcess(program: "/bin/sh", arguments: ["-c", script], patience: patience)
        do throws(IngestError) {
            _ = try process.make(PreviewRequest(length: 8, longEdge: 256, quality: 80)) {
                (_, count) throws(IngestError) in
                [UInt8](repeating: 0, count: count)
            }
            return nil
        } catch { return error }
    }

    @Test func theirEndIsToldWithItsReason() throws {
        let crash = try failure("kill -SEGV $$")
        #expect(crash?.code == .corruptData && crash?.message.contains("signal 11") == true)
        #expect(try failure("exit 3")?.code == .corruptData)
        #expect(try failure("exec cat >&0")?.code == .corruptData)
        #expect(try failure("exec sleep 60", patience: 1)?.code == .unavailable)
    }

    @Test func aMissingProgramIsTold() {
        #expect(throws: IngestError.self) { try PreviewProcess(program: "/nonexistent/filmgate-previews") }
        let decoder = PreviewDecoder(program: nil) { false }
        let error = #expect(throws: IngestError.self) {
            try decoder.make(PreviewRequest(length: 1, longEdge: 256, quality: 80)) { (_, _) throws(IngestError) in [] }
        }
        #expect(error?.code == .unavailable && error?.advice?.contains("make install") == true)
    }
}

@Suite struct PreviewMessageTests {
    @Test func requestsAndRepliesSurviveTheWay() throws {
        var request = PreviewRequest(length: 1 << 20, longEdge: 1600, quality: 80)
        (request.width, request.height, request.orientation) = (8256, 5504, 8)
        #expect(try PreviewRequest(request.encoded) == request)
        var reply = PreviewReply(.damaged)
        (reply.length, reply.width, reply.height, reply.microseconds) = (99_999, 1600, 1067, 123_456)
        #expect(try PreviewReply(reply.encoded) == reply)
        #expect(try PreviewReply(PreviewReply(.tooLarge).encoded) == PreviewReply(.tooLarge))
    }

    @Test func numbersThatNobodyMeansAreRefused() {
        let request = PreviewRequest(length: 1000, longEdge: 256, quality: 80).encoded
        for (place, value) in [(3, 0xFF), (12, 0), (14, 0), (14, 101), (15, 0), (15, 9), (7, 0xFF)]
            as [(Int, UInt8)]
        {
            var bytes = request
            bytes[place] = value
            if place == 12 { bytes[13] = 0 }
            #expect(throws: PreviewStream.Failure.malformed, "\(place)") { try PreviewRequest(bytes) }
        }
        #expect(throws: PreviewStream.Failure.malformed) { try PreviewRequest([1, 2]) }
        for bytes in [
            PreviewReply(.done).encoded, [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 16), [],
        ] {
            #expect(throws: PreviewStream.Failure.malformed) { try PreviewReply(bytes) }
        }
    }
}
