import Testing

@Suite struct SizeTests {
    static let all = Repository.code + Repository.tests

    @Test(arguments: all)
    func noFileIsLong(_ file: Repository.File) {
        #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count - 1) lines; 400 are enough")
    }

    @Test(arguments: all)
    func noFunctionIsLong(_ file: Repository.File) {
        for function in Self.functions(of: file) where !file.isFixture {
            #expect(
                function.length <= 50, "\(file.path):\(function.line) is \(function.length) lines long; 50 are enough")
        }
    }

    @Test func filesAreMostlyShort() throws {
        let sizes = Repository.code.map { $0.lines.count - 1 }.sorted()
        try #require(!sizes.isEmpty)
        #expect(sizes[sizes.count / 2] < 100, "The median file has \(sizes[sizes.count / 2]) lines")
    }

    /// Functions by their first line and length: from `func` or `init` to the brace that closes at the same
    /// indentation.
    static func functions(of file: Repository.File) -> [(line: Int, length: Int)] {
        let lines = file.code
        return lines.indices.compactMap { index in
            let indent = lines[index].prefix { $0 == " " }
            guard lines[index].contains("func ") || lines[index].contains("init"),
                lines[index].dropFirst(indent.count).firstMatch(of: /^([a-z@()\s]+ )?(func [^\s(]+|init[?]?)[(<]/)
                    != nil,
                let end = lines[(index + 1)...].firstIndex(where: {
                    $0.hasPrefix(indent) && !$0.dropFirst(indent.count).hasPrefix(" ") && $0 != ""
                        && !$0.dropFirst(indent.count).hasPrefix(")")
                }),
                lines[end] == indent + "}"
            else { return nil }
            return (index + 1, end - index + 1)
        }
    }
}
