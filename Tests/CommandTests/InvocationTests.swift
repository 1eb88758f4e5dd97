import Foundation
import Synchronization
import Testing

@testable import filmgate

/// Several commands go on at once in one process, as jobs of a run do: each starts from the folder of whoever called it,
/// and speaks to nobody else.
@Suite struct InvocationTests {
    /// What a command says.
    private final class Words: Sendable {
        private let said = Mutex<[String]>([])
        var lines: [String] { said.withLock(\.self) }

        func hear(_ line: Console.Line) {
            let text =
                switch line {
                case .out(let text): text
                case .err(let text): "stderr: " + text
                }
            said.withLock { $0.append(text) }
        }
    }

    private static func show(from folder: String, _ more: [String] = []) async -> (status: Int32, lines: [String]) {
        let words = Words()
        let invocation = Invocation(console: Console { words.hear($0) }, paths: UserPath(from: folder))
        let status = await Filmgate.carryOut(["events", "show", "--state", "state"] + more, invocation)
        return (status, words.lines)
    }

    @Test func eachCommandIsItsCallers() async throws {
        let table = try Table()
        for event in ["smith", "jones"] { try table.write("\(event)/state/event", event) }
        let folders = (smith: table.path("smith"), jones: table.path("jones"), none: table.path("none"))
        async let one = Self.show(from: folders.smith)
        async let other = Self.show(from: folders.jones, ["--json"])
        async let third = Self.show(from: folders.none)
        let (smith, jones, none) = await (one, other, third)
        withExtendedLifetime(table) {}
        #expect(smith.status == 0 && smith.lines == ["The event is smith."])
        #expect(jones.status == 0 && jones.lines.count == 2, "\(jones.lines)")
        #expect(jones.lines.first?.contains(#""name":"jones""#) == true, "\(jones.lines)")
        #expect(jones.lines.last?.hasPrefix(#"{"type":"summary""#) == true, "\(jones.lines)")
        #expect(none.status == 5 && none.lines.first?.contains("\(folders.none)/state") == true, "\(none.lines)")
    }

    /// What was read of standard input is kept: it goes with the job where that is handed over.
    @Test func namesComeFromTheCallersInput() throws {
        var invocation = Invocation(input: ["A.JPG", "B.JPG"])
        let none = try NamesFromInput.read([], &invocation), one = try NamesFromInput.read(["C.JPG"], &invocation)
        let all = try NamesFromInput.read(["C.JPG", "-"], &invocation)
        #expect(none == nil && one == ["C.JPG"] && all == ["C.JPG", "A.JPG", "B.JPG"])
        #expect(invocation.input == ["A.JPG", "B.JPG"])
    }
}
