import FilmgateCore
import Testing

@testable import filmgate

/// What a run says of its sources.
@Suite struct SourceLineTests {
    private let camera = SourcePlace(source: "canon", address: "ptpip://192.0.2.1", label: "EOS R5")

    /// A photographer who reads that the camera is lost looks at the cable, not at the disk.
    @Test(arguments: [
        (IngestError.Code.deviceGone, "canon: EOS R5 is lost: "), (.storageFull, "canon: EOS R5 is not read on: "),
    ])
    func whatIsWrongHereIsNoFaultOfTheCamera(_ code: IngestError.Code, _ words: String) throws {
        let line = try #require(SourceLine.human(camera, .lost(IngestError(code, "No space left."))))
        #expect(line.hasPrefix(words) && line.hasSuffix("No space left. Trying again."), "\(line)")
    }

    /// `assign` finds only what waits for an event, not what was taken for none.
    @Test(
        arguments: [
            (nil, "2 files taken without an event, left so (`filmgate import`"),
            ("", "2 files still without an event (`filmgate assign EVENT`)"), ("smith", "2 files of the event smith"),
        ] as [(String?, String)])
    func whatStaysWithAnotherEventIsNamed(_ event: String?, _ words: String) throws {
        let line = try #require(SourceLine.human(camera, .open(taking: 0, leaving: 0, others: [event: 2])))
        #expect(line.contains("is here; \(words)") && line.contains("assign") == (event == ""), "\(line)")
    }
}
