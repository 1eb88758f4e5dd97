import Testing

/// Imports point down: what each target may import (the design's table of layers).
@Suite struct LayerTests {
    static let system: Set = ["Glibc", "Synchronization", "Dispatch"]
    static let kits: Set = [
        "CardKit", "CryptographyKit", "FileKit", "FTPKit", "MediaKit", "StampKit", "XMLKit", "HTTPKit", "AuthKit",
        "PTPKit", "USBKit", "GPhoto2Wire", "PQKit", "VirtualCamera",
    ]
    static let allowed: [String: Set<String>] = [
        "FilmgateCore": ["CLinux", "Logging"],
        "CryptographyKit": ["FilmgateCore", "CCrypto"],
        "FileKit": ["FilmgateCore", "CLinux", "CXXHash", "CryptographyKit"],
        "CardKit": ["FilmgateCore", "FileKit", "MediaKit"],
        "FTPKit": ["FilmgateCore", "FileKit", "ServerKit", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS", "Logging"],
        "MediaKit": ["FilmgateCore", "CExif", "CZlib"],
        "XMLKit": ["CXML2"],
        "StampKit": ["FilmgateCore", "XMLKit", "CXML2", "CryptographyKit"],
        "HTTPKit": ["FilmgateCore", "XMLKit", "CCurl", "CXXHash", "CryptographyKit"],
        "AuthKit": ["FilmgateCore", "FileKit", "HTTPKit", "CryptographyKit"],
        "PTPKit": ["FilmgateCore"],
        "USBKit": ["FilmgateCore", "CLibUSB"],
        "GPhoto2Wire": [],
        "PQKit": ["FilmgateCore", "CLinux", "CPQ"],
        "filmgate-gphoto2": ["GPhoto2Wire", "CGPhoto2"],
        "PreviewWire": [],
        "PreviewKit": ["FilmgateCore", "FileKit", "MediaKit", "PreviewWire"],
        "filmgate-previews": ["PreviewWire", "CTurboJPEG", "CHeif", "CLinux"],
        "VirtualCamera": ["FilmgateCore", "PTPKit"],
        "CameraTesting": ["FilmgateCore", "PTPKit", "VirtualCamera", "Testing", "Logging"],
        "FilmgateLedger": ["FilmgateCore", "GRDB", "GRDBSQLite", "Foundation"],
        "FilmgateConfig": ["FilmgateCore", "Yams"],
        "FilmgateExternal": ["FilmgateCore", "FileKit", "HTTPKit", "CryptographyKit", "Logging"],
        "FilmgateEngine": ["FilmgateCore", "CLinux", "FileKit", "AsyncAlgorithms", "Logging"],
        "ServerKit": [
            "FilmgateCore", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "Logging", "HTTPTypes", "NIOCore",
            "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
        ],
        "FilmgateReport": ["FilmgateCore", "FilmgateLedger"],
        "FilmgateSample": [
            "FilmgateCore", "FileKit", "HTTPKit", "ServerKit", "Hummingbird", "CryptographyKit", "HTTPTypes", "NIOCore",
        ],
        // The page reads the ledger and asks the program around it: no engine, no modules.
        "FilmgateStudio": [
            "FilmgateCore", "FileKit", "HTTPKit", "ServerKit", "PreviewKit", "FilmgateLedger", "FilmgateReport",
            "StudioPage", "CZlib", "Hummingbird", "HummingbirdCore", "CryptographyKit", "Logging", "HTTPTypes",
            "NIOCore",
            "NIOHTTPTypes",
        ],
        "FilmgateTesting": [
            "FilmgateCore", "FileKit", "HTTPKit", "FilmgateSample", "CryptographyKit", "Testing", "Logging",
            "Foundation",
        ],
    ]

    @Test(arguments: Repository.code.filter { $0.path.hasPrefix("Sources/") && $0.target != "filmgate" })
    func librariesImportDownwards(_ file: Repository.File) throws {
        let allowed = try #require(Self.allowed[file.target], "Give `\(file.target)` a line in the table of layers.")
        #expect(
            Self.imports(of: file).subtracting(allowed).subtracting(Self.system) == [],
            "\(file.path) imports what its layer may not")
    }

    @Test(arguments: Repository.code.filter { $0.path.hasPrefix("Plugins/") })
    func modulesImportTheCoreAndKitsOnly(_ file: Repository.File) {
        let allowed = Self.kits.union(["FilmgateCore", "Logging"])
        #expect(
            Self.imports(of: file).subtracting(allowed).subtracting(Self.system) == [],
            "\(file.path) imports what a module may not")
    }

    @Test(arguments: Repository.folders(in: "Plugins"))
    func moduleUsesAtMostTwoKits(_ module: String) {
        let files = Repository.code.filter { $0.path.hasPrefix("Plugins/\(module)/") }
        #expect(files.reduce(into: Set()) { $0.formUnion(Self.imports(of: $1)) }.intersection(Self.kits).count <= 2)
    }

    @Test func theCommandLeavesDatabaseAndYAMLToTheirLibraries() {
        let files = Repository.code.filter { $0.target == "filmgate" }
        for file in files {
            #expect(Self.imports(of: file).isDisjoint(with: ["GRDB", "Yams", "CCurl", "CExif"]), "\(file.path)")
        }
    }

    /// The modules that a file imports, conditional ones too.
    static func imports(of file: Repository.File) -> Set<String> {
        var found: Set<String> = []
        for line in file.code where line.contains("import ") {
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                words[..<keyword].allSatisfy(Self.isModifier)
            else { continue }
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let name =
                kinds.contains(words[keyword + 1]) && keyword + 2 < words.count
                ? words[keyword + 2] : words[keyword + 1]
            if let module = name.split(separator: ".").first { found.insert(String(module)) }
        }
        return found
    }

    private static func isModifier(_ word: Substring) -> Bool {
        ["public", "internal", "package", "private", "fileprivate"].contains(word) || word.hasPrefix("@")
    }
}
