// swift-tools-version: 6.2
import PackageDescription

// Fuzz targets, one executable each. They link only with libFuzzer, so they live outside the main package:
//   swift build -c release --package-path Tests/Fuzz --scratch-path .build-fuzz --product FuzzYAML \
//       -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xswiftc -parse-as-library
//   ASAN_OPTIONS=detect_leaks=0 .build-fuzz/release/FuzzYAML -max_total_time=60 -max_len=8192 WORK Tests/Fuzz/Corpus/yaml

/// One target: what it takes from the main package.
func fuzz(_ name: String, _ products: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: products.map { .product(name: $0, package: "filmgate") }, path: "Sources/\(name)")
}

let package = Package(
    name: "filmgate-fuzz",
    dependencies: [.package(name: "filmgate", path: "../..")],
    targets: [
        fuzz(
            "FuzzMedia",
            [
                "FilmgateCore", "MediaKit", "CameraTesting", "CanonCamera", "NikonCamera", "SonyCamera",
                "FujifilmCamera", "PanasonicCamera", "OlympusCamera", "PentaxCamera", "LeicaCamera", "CardMakes",
            ]),
        fuzz(
            "FuzzPTP",
            ["PTPKit", "VirtualCamera", "CameraTesting", "CanonCamera", "NikonCamera", "SonyCamera", "FujifilmCamera"]),
        fuzz("FuzzPackets", ["PTPKit", "CameraTesting", "FujifilmCamera"]),
        fuzz("FuzzNeighbours", ["PTPKit", "USBKit", "GPhoto2Wire"]),
        fuzz("FuzzFTP", ["FTPKit"]),
        fuzz("FuzzYAML", ["FilmgateCore", "FilmgateConfig", "FilmgateEngine"]),
    ],
    swiftLanguageModes: [.v6])
