import Testing

@Suite struct SafetyTests {
    @Test(arguments: Repository.code)
    func nothingEndsTheProgram(_ file: Repository.File) {
        for (index, line) in file.code.enumerated() {
            for word in ["try!", "fatalError("] {
                #expect(!line.contains(word), "\(file.path):\(index + 1): \(word) ends the program")
            }
            guard line.utf8.contains(UInt8(ascii: "!")) else { continue }
            #expect(
                line.firstMatch(of: /[\w)\]]!(?!=)/) == nil,
                "\(file.path):\(index + 1): a forced value ends the program")
        }
    }

    @Test(arguments: Repository.code.filter { $0.target != "filmgate" })
    func onlyTheCommandPrints(_ file: Repository.File) {
        for (index, line) in file.code.enumerated() where line.contains("print(") || line.contains("dump(") {
            #expect(
                line.firstMatch(of: /(^|[^\w.])(print|debugPrint|dump)\(/) == nil, "\(file.path):\(index + 1) prints")
        }
    }

    @Test(arguments: Repository.code)
    func uncheckedSharingSaysWhy(_ file: Repository.File) {
        let code = file.code, lines = file.lines
        for index in code.indices
        where code[index].contains("@unchecked Sendable") || code[index].contains("nonisolated(unsafe)") {
            let reasons = [index > 0 ? lines[index - 1] : "", lines[index]]
            #expect(
                reasons.contains { $0.contains("//") }, "\(file.path):\(index + 1): say in a comment why this is safe")
        }
    }

    /// Who called a command, from where and for whom is an argument (`Invocation`): a value that belongs to a task is
    /// not seen on other threads, and no caller shows that it is meant.
    ///
    /// These belong to one delivery or one sign-in, whoever asked for it; the modules in between know nothing of them.
    static let valuesOfTasks: Set = [
        "Sources/FilmgateCore/Flow/ProgressSignal.swift", "Sources/FilmgateCore/Flow/SendRight.swift",
        "Sources/FilmgateCore/Modules/CredentialPlaces.swift",
    ]

    @Test(arguments: Repository.code.filter { !valuesOfTasks.contains($0.path) })
    func argumentsAreNamed(_ file: Repository.File) {
        for (index, line) in file.code.enumerated() where line.contains("@TaskLocal") {
            #expect(Bool(false), "\(file.path):\(index + 1): make it an argument")
        }
    }

    /// The structures that hold a file's times are made in files without Foundation and Dispatch.
    ///
    /// Beside those the compiler takes now Glibc and now CDispatch for the module that defines them, so that the same
    /// file is built on one machine and refused on another. `FileFacts` and `FileSystem.setModified` need neither.
    @Test(arguments: Repository.code)
    func timesOfFilesAreAskedWithoutFoundation(_ file: Repository.File) {
        for (index, line) in file.code.enumerated() where line.contains("= stat()") || line.contains("timespec(tv_") {
            let imports = LayerTests.imports(of: file)
            #expect(
                imports.contains("Glibc") && imports.isDisjoint(with: ["Foundation", "Dispatch"]),
                "\(file.path):\(index + 1)")
        }
    }

    /// The built program has none of ICU's tables (decision 29): these calls fail there, or answer in another language,
    /// though they work here.
    @Test(arguments: Repository.code)
    func nothingAsksForTablesOfICU(_ file: Repository.File) {
        let refused = [
            "DateFormatter", "NumberFormatter", "ISO8601DateFormatter", "DateComponentsFormatter", "ByteCountFormatter",
            "Locale(", "Locale.", "Calendar(", "Calendar.", "TimeZone(", "TimeZone.", ".formatted(", ".localized",
            "localizedStandard",
            ".applyingTransform(", ".capitalized(with", ".lowercased(with", ".uppercased(with",
        ]
        for (index, line) in file.code.enumerated() {
            for call in refused where line.contains(call) {
                #expect(
                    Bool(false),
                    "\(file.path):\(index + 1): `\(call)` needs tables that the built program does not have")
            }
        }
    }
}
