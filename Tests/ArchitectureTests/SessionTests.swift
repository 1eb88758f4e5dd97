import Testing

/// What a source can do is asked of its session (decision 53): nothing stands between, and nothing answers for it.
@Suite struct SessionTests {
    /// What every session is, and the protocols of what some can do.
    static let protocols: Set<String> = {
        var found: Set<String> = ["SourceSession"]
        for file in Repository.code where file.path.hasPrefix("Sources/FilmgateCore/Modules/") {
            for line in file.code where line.contains("protocol ") {
                guard let match = line.firstMatch(of: /^public protocol (\w+Session): \w+Session\b/) else { continue }
                found.insert(String(match.1))
            }
        }
        return found
    }()

    static let files = (Repository.code + Repository.tests).filter { file in
        file.text.contains("Session") && protocols.contains { file.text.contains($0) }
    }

    @Test func theProtocolsAreFound() {
        #expect(Self.protocols.isSuperset(of: ["ConcludingSession", "PreviewingSession"]))
    }

    /// A default would be an ability that does nothing.
    @Test(arguments: files) func whatASessionCannotDoItDoesNotHave(_ file: Repository.File) {
        for line in file.code where line.contains("extension ") {
            guard let match = line.firstMatch(of: /^(?:\w+ )?extension (\w+)/) else { continue }
            #expect(
                !Self.protocols.contains(String(match.1)),
                "\(file.path): \(match.1) has no members but those that each session has for itself")
        }
    }

    /// `session as? any WatchingSession` would not find what a session within a session can do.
    @Test(arguments: files) func noSessionHoldsAnother(_ file: Repository.File) {
        for session in Self.sessions(in: file) {
            for line in session where line.firstMatch(of: /\b(?:let|var) \w+:/) != nil {
                #expect(!Self.names(line), "\(file.path): a session holds another one: \(line)")
            }
        }
    }

    @Test func aSessionWithinASessionIsSeen() {
        let text = """
            struct Driver: SourceDriver {
                let session: any SourceSession
            }
            private final class Slow: WatchingSession,
                ConcludingSession
            {
                private let other: any SourceSession
            }
            """
        let found = Self.sessions(in: Repository.File(path: "Slow.swift", text: text))
        #expect(found.count == 1 && found[0].contains { $0.contains("other") && Self.names($0) })
    }

    /// Whether one of the protocols stands there.
    private static func names(_ line: some StringProtocol) -> Bool {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { protocols.contains(String($0)) }
    }

    /// The bodies of the types that are sessions: from the brace that opens to the one that closes at the same
    /// indentation.
    private static func sessions(in file: Repository.File) -> [ArraySlice<String>] {
        let lines = file.code
        return lines.indices.compactMap { index in
            guard let match = lines[index].firstMatch(of: /^( *)(?:[@\w]+ )*(?:struct|class|actor|enum) \w/),
                let start = lines[index...].firstIndex(where: { $0.contains("{") }),
                let end = lines[start...].firstIndex(where: { $0 == match.1 + "}" }), start < end,
                Self.names(lines[index...start].joined(separator: " ").prefix { $0 != "{" })
            else { return nil }
            return lines[(start + 1)..<end]
        }
    }
}
