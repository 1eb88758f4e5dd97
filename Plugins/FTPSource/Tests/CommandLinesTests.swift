import Testing

@testable import FTPKit

/// The lines that clients send, and whatever else arrives at the port; `FuzzFTP` goes on where these end.
@Suite struct CommandLinesTests {
    private func lines(_ bytes: [UInt8]) -> [FTPCommand]? {
        var cutter = FTPCommandLines(), found: [FTPCommand] = []
        for byte in bytes {
            switch cutter.take(byte) {
            case .nothing: continue
            case .tooLong: return nil
            case .line(let line): found.append(line)
            }
        }
        return found
    }

    @Test func aLineEndsWithOrWithoutACarriageReturn() {
        let found = lines(Array("stor A b.JPG\r\nNOOP\n\r\nCWD".utf8))
        #expect(found?.map(\.verb) == ["STOR", "NOOP", ""])
        #expect(found?.map(\.argument) == ["A b.JPG", "", ""])
    }

    @Test func interruptsAreNoPartOfALine() {
        #expect(lines([0xFF, 0xF4, 0xFF, 0xF2] + Array("ABOR\r\n".utf8))?.map(\.verb) == ["ABOR"])
        // The network lost the urgent byte; and a byte that was doubled is one of the name.
        #expect(lines([0xF2] + Array("ABOR\r\n".utf8))?.map(\.verb) == ["ABOR"])
        let name = lines(Array("STOR a".utf8) + [0xFF, 0xFF, 0x0A])?.first?.argument
        #expect(name == "a\u{10FFFF}")
    }

    @Test func aLineWithoutAnEndIsNotKept() {
        #expect(lines([UInt8](repeating: 0x41, count: 4096)) == [])
        #expect(lines([UInt8](repeating: 0x41, count: 4097)) == nil)
    }

    @Test(
        arguments: [
            ("192,0,2,7,195,80", "192.0.2.7", 50_000), ("192,0,2,7,195", nil, 0), ("192,0,2,256,1,1", nil, 0),
            ("192,0,2,,1,1", nil, 0), ("192,0,2,7,1,1,1", nil, 0),
        ] as [(String, String?, Int)])
    func anAddressHasSixNumbers(_ text: String, _ host: String?, _ port: Int) {
        let found = FTPCommand(Array("PORT \(text)".utf8)).hostPort
        #expect(found?.host == host && (found?.port ?? 0) == port)
    }

    /// No bytes end the program, and no path leads out of the login's folder.
    @Test(arguments: 1...4) func anyBytesAreRead(_ seed: UInt64) {
        var state = seed
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state ^ (state >> 29)) >> 1) % below
        }
        let words = Array("CWD ../a//.. \r\nPORT 1,2|1|x|9|/ \u{FF}".utf8) + [0xFF, 0xF4, 0xE5, 0, 0x0A, 0x0A, 0x0A]
        var read = 0
        for _ in 0..<5000 {
            let found = lines((0..<random(120)).map { _ in words[random(words.count)] }) ?? []
            for line in found {
                (_, _) = (line.hostPort, line.extendedPort)
                guard let path = try? FTPPath(line.argument, from: .root) else { continue }
                let parts = path.text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { Array($0) }
                #expect(path.text.isEmpty || !parts.contains { [[], [0x2E], [0x2E, 0x2E]].contains($0) })
                read += 1
            }
        }
        #expect(read > 1000)
    }
}
