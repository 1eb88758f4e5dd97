import CameraTesting
import FilmgateCore
import PTPKit
import Synchronization
import Testing
import VirtualCamera

@Suite struct LinkTraceTests {
    /// What a trace wrote, without the times.
    private final class WrittenLines: Sendable {
        private let kept = Mutex<[String]>([])
        func add(_ lines: String) { kept.withLock { $0 += lines.split(separator: "\n").map(Self.untimed) } }
        var lines: [String] { kept.withLock { $0 } }
        private static func untimed(_ line: Substring) -> String {
            String(line.hasPrefix(" ") ? line : line.drop { $0 != " " }.dropFirst())
        }
    }

    private static func told(_ sheet: WrittenLines, _ tell: (LinkTrace) -> Void, secrets: LinkTrace.Secrets = .init()) {
        tell(LinkTrace("usb://1", secrets: secrets) { sheet.add($0) })
    }

    @Test func everythingOfASessionIsShownInItsOrder() async throws {
        var card = VirtualCard()
        card.add(VirtualFile("IMG_1.JPG", .pattern(seed: 1, size: 9000)), in: "DCIM/100MEDIA")
        let camera = VirtualCamera(StandardPersonality(), cards: [card]), sheet = WrittenLines()
        let trace = LinkTrace("usb://1") { sheet.add($0) }
        let body = PTPCamera(ObservedLink(BulkLink(VirtualBulkPipe(camera)), trace))
        try await body.open()
        try await body.run { body throws(PTPError) in
            let objects = try StandardHandler().list(body)
            if let first = objects.first { try StandardFetch.fetch(first, 0..<first.size, body, into: MemorySink()) }
            body.close()
        }
        let lines = sheet.lines
        #expect(lines.first == "usb://1 - connected")
        #expect(lines.last == "usb://1 - closed")
        let opening = try #require(lines.firstIndex { $0.hasPrefix("usb://1 > operation OpenSession (1002) #0 ") })
        #expect(lines[opening + 1] == "usb://1 < response Ok (2001) #0")
        let data = try #require(lines.firstIndex { $0.hasPrefix("usb://1 < data Get") && $0.hasSuffix(", 9000 bytes") })
        #expect(lines[data + 1].hasPrefix("    0000  "))
        #expect(lines[data + 16].hasPrefix("    00F0  "))
        #expect(lines[data + 17] == "    … 8744 more bytes")
        #expect(lines[data + 18].hasPrefix("usb://1 < response Ok (2001) #"))
    }

    @Test func bytesAreShownAsDigitsAndText() {
        let sheet = WrittenLines()
        Self.told(sheet) {
            $0.sent(Operation(.setDevicePropValue, [0x5011]), transaction: 7, data: Array("Ann\n".utf8))
        }
        let dump = "    0000  41 6E 6E 0A" + String(repeating: " ", count: 36) + "  |Ann.|"
        #expect(
            sheet.lines == [
                "usb://1 > operation SetDevicePropValue (1016) #7 00005011",
                "usb://1 > data SetDevicePropValue (1016) #7, 4 bytes", dump,
            ])
    }

    @Test func keysAreMaskedAlsoWhereTheyAreCutAndAsText() {
        let key: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF, 0x11, 0x22, 0x33, 0x44]
        let text = Array("deadbeef11223344".utf8), sheet = WrittenLines()
        // One across the end of what is shown, in pieces as they come.
        let bytes = key + text + [UInt8](repeating: 0x20, count: 228) + key + [1, 2, 3]
        Self.told(
            sheet,
            { trace in
                trace.sent(Operation(.getDevicePropValue), transaction: 1, data: nil)
                trace.dataBegins(transaction: 1, total: UInt64(bytes.count))
                for start in stride(from: 0, to: bytes.count, by: 100) {
                    trace.data(Array(bytes[start..<min(start + 100, bytes.count)]).span.bytes)
                }
                trace.dataEnds()
            }, secrets: LinkTrace.Secrets(words: [key]))
        #expect(sheet.lines[2] == "    0000  " + String(repeating: "** ", count: 16) + " |****************|")
        #expect(sheet.lines[17] == "    00F0  20 20 20 20 20 20 20 20 20 20 20 20 ** ** ** **  |            ****|")
        #expect(sheet.lines[18] == "    … \(bytes.count - 256) more bytes")
        #expect(!sheet.lines.contains { $0.contains("DE AD") || $0.contains("64 65 61 64") })
    }

    @Test func theDataOfAPairingIsLeftOut() {
        let sheet = WrittenLines(), secrets = LinkTrace.Secrets(operations: [0x952B])
        Self.told(
            sheet,
            { trace in
                trace.sent(Operation(0x952B), transaction: 1, data: nil)
                trace.dataBegins(transaction: 1, total: nil)
                trace.data(Array("4711".utf8).span.bytes)
                trace.received(Response(.ok, transaction: 1, []))
            }, secrets: secrets)
        #expect(
            sheet.lines == [
                "usb://1 > operation 952B #1", "usb://1 < data 952B #1, of unknown length", "    (not shown: a key)",
                "usb://1 < response Ok (2001) #1",
            ])
    }

    /// Events come on a thread of their own, and before anybody asks for them.
    @Test func eventsPingsAndFailuresAreShownWhenTheyCome() {
        let sheet = WrittenLines(), trace = LinkTrace("usb://1") { sheet.add($0) }, eventQueue = EventQueue()
        eventQueue.post(PTPEvent(.storeAdded, [1]))
        eventQueue.observe { trace.received($0) }
        eventQueue.post(PTPEvent(.objectAdded, transaction: 9, [0x20]))
        trace.received(.ping)
        trace.cancelled(transaction: 3, byCamera: false)
        trace.failed(.timedOut("GetObject (1009)"))
        #expect(
            sheet.lines[0] == "usb://1 < event StoreAdded (4004) #0 00000001"
                || sheet.lines[0].contains("StoreAdded (4004)"))
        #expect(sheet.lines[1] == "usb://1 < event ObjectAdded (4002) #9 00000020")
        #expect(sheet.lines[2...4] == ["usb://1 < ping", "usb://1 > pong", "usb://1 > cancel #3"])
        #expect(sheet.lines[5].hasPrefix("usb://1 ! "))
        #expect(eventQueue.take().events.count == 2)
    }
}
