import Testing

@testable import FilmgateExternal

@Suite struct LineBufferTests {
    private func lines(_ parts: [String], limit: Int = 10) -> [String] {
        var buffer = LineBuffer(limit: limit), found: [String] = []
        for part in parts {
            buffer.append(Array(part.utf8)[...])
            while true {
                let next = buffer.next()
                if case .line(let line) = next { found.append(String(decoding: line, as: UTF8.self)) }
                if next == .tooLong { return found + ["too long"] }
                if next == .none { break }
            }
        }
        return found
    }

    @Test func cutsWhereverThePiecesEnd() {
        #expect(lines(["a\nb", "c", "\r\n", "\n", "d\ne"]) == ["a", "bc", "", "d"])
    }

    @Test func aLineThatNeverEndsIsRefusedBeforeItEnds() {
        #expect(lines(["0123456789\n", "0123456789"]) == ["0123456789"])
        #expect(lines(["01234567890"]) == ["too long"])
        #expect(lines(["01234567890\n"]) == ["too long"])
    }

    @Test func manyLinesDoNotGrowIt() {
        let text = String(repeating: "123456789\n", count: 20_000)
        #expect(lines([text, text]).count == 40_000)
    }
}
