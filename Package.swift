// swift-tools-version: 6.2
import PackageDescription

// The house in one table: libraries by layer, then one line per module. Imports point down only;
// Tests/ArchitectureTests holds the rules.

let core: Target.Dependency = "FilmgateCore"

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], tests: [Target.Dependency]? = nil, fixtures: [String] = []
) -> [Target] {
    let target = Target.target(name: name, dependencies: dependencies, path: "Sources/\(name)")
    guard let tests else { return [target] }
    let all = [.init(stringLiteral: name)] + dependencies + tests
    return [
        target, .testTarget(name: "\(name)Tests", dependencies: all, path: "Tests/\(name)Tests", exclude: fixtures),
    ]
}

/// One module = one folder under `Plugins/` holding its sources, tests, README and example.
func module(_ name: String, uses kits: [Target.Dependency] = [], tests: [Target.Dependency] = []) -> [Target] {
    let path = "Plugins/\(name)"
    return [
        .target(
            name: name, dependencies: [core] + kits, path: path, exclude: ["README.md", "example.yaml", "Tests"],
            sources: ["Sources"]),
        .testTarget(
            name: "\(name)Tests", dependencies: [.init(stringLiteral: name), core, "FilmgateTesting"] + kits + tests,
            path: path, exclude: ["README.md", "example.yaml", "Sources"], sources: ["Tests"]),
    ]
}

/// A camera module: it brings its make's virtual camera along, and passes the checks of `CameraTesting`.
func camera(_ name: String) -> [Target] {
    let path = "Plugins/\(name)"
    let kits: [Target.Dependency] = [core, "PTPKit", "VirtualCamera"]
    return [
        .target(
            name: name, dependencies: kits, path: path, exclude: ["README.md", "example.yaml", "Tests"],
            sources: ["Sources"]),
        .testTarget(
            name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "CameraTesting", log] + kits, path: path,
            exclude: ["README.md", "example.yaml", "Sources"], sources: ["Tests"]),
    ]
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let channels = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let http2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")

let remoteTargets: [Target.Dependency] = [
    "S3Target", "WebDAVTarget", "TusTarget", "ImmichTarget", "FrameFastTarget", "ConvexTarget", "ExecTarget",
    "SFTPTarget", "FTPTarget", "RcloneTarget",
]

let catalogTests: [Target.Dependency] = ["ClusterTesting", "FilmgateLedger", "FilmgateEngine", log]

let package = Package(
    name: "filmgate",
    // For the fuzz targets in Tests/Fuzz.
    products: [
        "FilmgateCore", "MediaKit", "FilmgateConfig", "FilmgateEngine", "PTPKit", "VirtualCamera", "CameraTesting",
        "CanonCamera", "NikonCamera", "SonyCamera", "FujifilmCamera", "PanasonicCamera", "OlympusCamera",
        "PentaxCamera", "LeicaCamera", "CardMakes", "USBKit", "GPhoto2Wire", "FTPKit",
    ].map { .library(name: $0, targets: [$0]) },
    // Exactly what a release was tested with: an update is a change of its own. What these need in turn, the package
    // manager resolves.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // Layer 0: C
        [system("CExif", "libexif", "libexif-dev")],
        [system("CCurl", "libcurl", "libcurl4-openssl-dev")],
        [system("CQREncode", "libqrencode", "libqrencode-dev")],
        [system("CCrypto", "libcrypto", "libssl-dev")],
        [system("CXXHash", "libxxhash", "libxxhash-dev")],
        // Its functions are looked up when they are needed (decision 33): the program starts without libpq.
        [.systemLibrary(name: "CPQ", path: "Sources/CPQ", providers: [.apt(["libpq-dev"])])],
        [system("CXML2", "libxml-2.0", "libxml2-dev")],
        [system("CLibUSB", "libusb-1.0", "libusb-1.0-0-dev")],
        [system("CGPhoto2", "libgphoto2", "libgphoto2-dev")],
        [system("CTurboJPEG", "libturbojpeg", "libturbojpeg0-dev")],
        [system("CHeif", "libheif", "libheif-dev")],
        [system("CZlib", "zlib", "zlib1g-dev")],
        [.target(name: "CLinux", path: "Sources/CLinux")],
        [.target(name: "CICUData", path: "Sources/CICUData")],
        [.target(name: "StudioPage", path: "Sources/StudioPage", exclude: ["files", "newer.d.ts", "tsconfig.json"])],
        // Layer 1: the words
        library("FilmgateCore", ["CLinux", log], tests: [log]),
        // Layer 2: kits
        library("CryptographyKit", [core, "CCrypto"], tests: []),
        library("FileKit", [core, "CLinux", "CXXHash", "CryptographyKit"], tests: []),
        library("MediaKit", [core, "CExif", "CZlib"], tests: []),
        library("CardKit", [core, "FileKit", "MediaKit"]),
        library("FTPKit", [core, "FileKit", "ServerKit", nio, nioPosix, nioTLS, nioSSL, log]),
        library("XMLKit", ["CXML2"], tests: []),
        library("StampKit", [core, "XMLKit", "CXML2", "CryptographyKit"], tests: []),
        library("HTTPKit", [core, "XMLKit", "CCurl", "CXXHash", "CryptographyKit"], tests: ["FilmgateTesting"]),
        library("AuthKit", [core, "FileKit", "HTTPKit", "CryptographyKit"], tests: ["FilmgateTesting", log]),
        library("PTPKit", [core], tests: ["VirtualCamera", "CameraTesting"], fixtures: ["Recordings"]),
        library("USBKit", [core, "CLibUSB"], tests: []),
        library("GPhoto2Wire", [], tests: []),
        library("PQKit", [core, "CLinux", "CPQ"], tests: ["ClusterTesting"]),
        library("PreviewWire"),
        library(
            "PreviewKit", [core, "FileKit", "MediaKit", "PreviewWire"],
            tests: ["filmgate-previews", "FilmgateSample", "TestThreads"]),
        library("VirtualCamera", [core, "PTPKit"]),
        library("CameraTesting", [core, "PTPKit", "VirtualCamera", log]),
        library("ServerKit", [core, hummingbird, http2, nioPosix, nioHTTP1, nioTLS, nioSSL, log]),
        // Layer 3: machinery
        library("FilmgateLedger", [core, grdb, sqlite], tests: []),
        library("FilmgateReport", [core, "FilmgateLedger"]),
        library("FilmgateConfig", [core, "Yams"], tests: []),
        [
            .target(
                name: "FilmgateExternal", dependencies: [core, "FileKit", "HTTPKit", "CryptographyKit", log],
                path: "Sources/FilmgateExternal", exclude: ["examples"]),
            .testTarget(
                name: "FilmgateExternalTests",
                dependencies: ["FilmgateExternal", core, "HTTPKit", "FilmgateTesting", log],
                path: "Tests/FilmgateExternalTests"),
        ],
        library(
            "FilmgateEngine", [core, "CLinux", "FileKit", channels, log],
            tests: ["FilmgateConfig", "FilmgateLedger", "FilmgateTesting"], fixtures: ["Fixtures"]),
        // Layer 4: modules
        module("PostgresCatalog", uses: ["PQKit", "CryptographyKit"], tests: catalogTests),
        module("CardSource", uses: ["CardKit", "FileKit", log]),
        module("FTPSource", uses: ["CardKit", "FTPKit", log], tests: ["FileKit", "FilmgateLedger", "TestThreads"]),
        module("FolderSource", uses: ["CardKit", "FileKit", log], tests: ["FilmgateLedger"]),
        module("DedupeStage", tests: ["FilmgateLedger", log]),
        module("UploadStage", tests: [log]),
        module("ExifStage", uses: ["MediaKit"], tests: [log]),
        module("SelectStage", tests: [log]),
        module("StampStage", uses: ["StampKit", "FileKit", log]),
        module("FolderTarget", uses: ["FileKit", "XMLKit"], tests: [log]),
        module("HTTPTarget", uses: ["HTTPKit"], tests: ["FileKit", "FilmgateSample", log]),
        module("S3Target", uses: ["HTTPKit", "XMLKit", log]),
        module("WebDAVTarget", uses: ["HTTPKit"], tests: ["FileKit", log]),
        module("TusTarget", uses: ["HTTPKit"], tests: ["FileKit", log]),
        module("ImmichTarget", uses: ["HTTPKit"], tests: [log]),
        module("FrameFastTarget", uses: ["HTTPKit"], tests: [log]),
        module("ConvexTarget", uses: ["HTTPKit"], tests: [log]),
        module("ExecTarget", uses: ["FileKit"], tests: [log]),
        module("SFTPTarget", uses: ["HTTPKit"], tests: ["FileKit", log]),
        module("FTPTarget", uses: ["HTTPKit"], tests: ["FileKit", log]),
        module("RcloneTarget", uses: ["HTTPKit"], tests: ["FileKit", log]),
        module("BearerAuth", uses: ["HTTPKit"], tests: [log]),
        module("BasicAuth", uses: ["HTTPKit"], tests: [log]),
        module("APIKeyAuth", uses: ["HTTPKit"], tests: [log]),
        module("NoAuth", tests: [log]),
        module("GPhoto2Source", uses: ["GPhoto2Wire", "PTPKit"], tests: [log]),
        module("OIDCAuth", uses: ["AuthKit", "HTTPKit"], tests: [log]),
        module("ClerkAuth", uses: ["AuthKit", "HTTPKit"], tests: [log]),
        module("FrameFastAuth", uses: ["AuthKit", "HTTPKit"], tests: [log]),
        module("AWSAuth", uses: ["HTTPKit"], tests: [log]),
        module("ExecAuth", uses: ["AuthKit", "HTTPKit"], tests: [log]),
        module("MockAuth", uses: ["AuthKit", "HTTPKit"], tests: [log]),
        camera("StandardCamera"),
        camera("CanonCamera"),
        camera("NikonCamera"),
        camera("SonyCamera"),
        camera("LeicaCamera"),
        camera("PentaxCamera"),
        camera("GoProCamera"),
        camera("FujifilmCamera"),
        camera("PanasonicCamera"),
        camera("OlympusCamera"),
        camera("TeachingCamera"),
        module("CardMakes", tests: ["CameraTesting"]),
        // Layer 5: the command, the processes around libgphoto2 and picture decoders, and what is needed for trying out
        [
            .executableTarget(
                name: "filmgate-gphoto2", dependencies: ["GPhoto2Wire", "CGPhoto2"], path: "Sources/filmgate-gphoto2")
        ],
        [
            .executableTarget(
                name: "filmgate-previews", dependencies: ["PreviewWire", "CTurboJPEG", "CHeif", "CLinux"],
                path: "Sources/filmgate-previews"
            )
        ],
        library(
            "FilmgateSample", [core, "FileKit", "HTTPKit", "ServerKit", hummingbird, "CryptographyKit"], tests: []),
        [
            .target(
                name: "FilmgateStudio",
                dependencies: [
                    core, "CryptographyKit", "FileKit", "HTTPKit", "ServerKit", "PreviewKit", "FilmgateLedger",
                    "FilmgateReport", "StudioPage", "CZlib", hummingbird, log,
                ], path: "Sources/FilmgateStudio", exclude: ["openapi.json"]),
            .testTarget(
                name: "FilmgateStudioTests",
                dependencies: [
                    "FilmgateStudio", core, "FilmgateLedger", "FilmgateReport", "FilmgateSample", "PreviewKit",
                    "ServerKit", "TestThreads", "CZlib", hummingbird, log,
                ],
                path: "Tests/FilmgateStudioTests"),
        ],
        [
            .executableTarget(
                name: "filmgate",
                dependencies: [
                    core, "FileKit", "AuthKit", "CQREncode", "OIDCAuth", "ClerkAuth", "FrameFastAuth", "AWSAuth",
                    "ExecAuth", "MockAuth", "FilmgateLedger", "FilmgateReport", "FilmgateConfig", "FilmgateEngine",
                    "FilmgateExternal", "FilmgateTesting", "FilmgateSample", "FilmgateStudio", "CardSource",
                    "FolderSource", "FTPSource", "ExifStage", "SelectStage", "StampStage", "DedupeStage", "UploadStage",
                    "FolderTarget", "HTTPTarget", "BearerAuth", "BasicAuth", "APIKeyAuth", "NoAuth", "PTPKit", "USBKit",
                    "GPhoto2Source", "PQKit", "PostgresCatalog", "VirtualCamera", "StandardCamera", "CanonCamera",
                    "NikonCamera", "SonyCamera", "LeicaCamera", "PentaxCamera", "GoProCamera", "FujifilmCamera",
                    "PanasonicCamera", "OlympusCamera", "CardMakes", "CICUData", arguments, log,
                ] + remoteTargets, path: "Sources/filmgate",
                // One code for functions that came out alike, and addresses for the loader in a tenth of the room.
                linkerSettings: [
                    .unsafeFlags(
                        [
                            "-use-ld=lld", "-Xlinker", "--icf=safe", "-Xlinker", "-z", "-Xlinker",
                            "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
                        ],
                        .when(configuration: .release))
                ])
        ],
        // Tests
        library("FilmgateTesting", [core, "FileKit", "HTTPKit", "CryptographyKit", log]),
        [.target(name: "TestThreads", path: "Tests/TestThreads")],
        [.target(name: "ClusterTesting", path: "Tests/ClusterTesting")],
        // What PQKit costs beside a program in C: for `make stations-bench`.
        [.executableTarget(name: "PQBench", dependencies: ["PQKit", core, "CLinux"], path: "Tests/PQBench")],
        [
            .testTarget(
                name: "CommandTests",
                dependencies: [
                    "filmgate", core, "PTPKit", "USBKit", "FilmgateTesting", "TestThreads", "ClusterTesting",
                ],
                path: "Tests/CommandTests")
        ],
        [.testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests")],
    ].flatMap { $0 })

for target in package.targets
where target.type != .system && !["CLinux", "CICUData", "StudioPage"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
            .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
        ]
}

// Most tests draw samples: without the optimizer that took a fifth of all that tests take.
package.targets.first { $0.name == "FilmgateSample" }?.swiftSettings?.append(
    .unsafeFlags(["-O"], .when(configuration: .debug)))

// With `--disable-index-store` SwiftPM writes no index for editors, and still looks for classes of XCTest in that of the
// tests: they write theirs here.
if let index = Context.environment["FILMGATE_TEST_INDEX"], !index.isEmpty {
    for target in package.targets where target.isTest {
        target.swiftSettings?.append(.unsafeFlags(["-index-store-path", index, "-index-ignore-system-modules"]))
    }
}

// `FILMGATE_ONLY=CardSource,HTTPKit swift test` builds these targets, their tests and what they need, and nothing else.
if let only = Context.environment["FILMGATE_ONLY"], !only.isEmpty {
    let byName = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var wanted = only.split(separator: ",").map(String.init)
    wanted += wanted.map { "\($0)Tests" }
    var kept: Set<String> = []
    while let name = wanted.popLast() {
        guard let target = byName[name], kept.insert(name).inserted else { continue }
        for case .byNameItem(let needed, _) in target.dependencies { wanted.append(needed) }
        for case .targetItem(let needed, _) in target.dependencies { wanted.append(needed) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll()
}
