import PQKit

/// What one call says: columns as a program has them, and the parameters that PQKit makes of them.
struct Batch {
    static let files = 333, claims = 256, keys = 64
    private static let gallery = "http|https://gallery.example/api/assets|press"

    private let kind: Kind, token: Int64, number: Int64
    private let shas: [[UInt8]?]
    private var sizes: [Int64?] = [], captured: [Int64?] = [], kinds: [Int16?] = []
    private var origins: [[UInt8]?] = [], volumes: [Int64?] = [], times: [Int64?] = [], endings: [UInt8?] = []
    private var paths: [String?] = []
    private var deliveries = Deliveries()

    /// The copy of each file in the station's own folder, then each one at the gallery.
    private struct Deliveries {
        var shas: [[UInt8]?] = [], besides: [[UInt8]?] = [], targets: [String?] = [], names: [String?] = []
        var shared: [Bool?] = [], states: [UInt8?] = [], proofs: [UInt8?] = [], sizes: [Int64?] = []
        var sent: [[UInt8]?] = [], receipts: [String?] = [], rights: [Int16?] = []

        mutating func add(_ file: Int64, isGallery: Bool) {
            shas.append(Facts.sha(file))
            besides.append([])
            targets.append(isGallery ? Batch.gallery : "folder|/home/ann/Pictures")
            names.append(isGallery ? "gallery" : "archive")
            shared.append(isGallery)
            states.append(UInt8(ascii: "d"))
            proofs.append(UInt8(ascii: isGallery ? "s" : "r"))
            sizes.append(Facts.size(file))
            sent.append(nil)
            let folder = isGallery ? "https://gallery.example/assets" : "/home/ann/Pictures/2026-11-21"
            receipts.append(Facts.name(in: folder, file))
            rights.append(3)
        }
    }

    init(_ kind: Kind, token: Int64, number: Int64, first: Int64) {
        (self.kind, self.token, self.number) = (kind, token, number)
        let count = Int64(kind == .report ? Self.files : kind == .claim ? Self.claims : Self.keys)
        let files = (first + number * count)..<(first + (number + 1) * count)
        shas = files.map(Facts.sha)
        switch kind {
        case .lookUp: break
        case .claim: for file in files { deliveries.add(file, isGallery: true) }
        case .report:
            for file in files {
                sizes.append(Facts.size(file))
                captured.append(1_760_000_000 + file)
                kinds.append(1)
                origins.append(Facts.bytes(file, 4, words: 2))
                volumes.append(77)
                times.append(1_760_000_000_000_000_000 + file)
                endings.append(UInt8(ascii: "d"))
                paths.append(Facts.name(in: "DCIM/100CANON", file))
            }
            for file in files { deliveries.add(file, isGallery: false) }
            for file in files { deliveries.add(file, isGallery: true) }
        }
    }

    /// Made anew for each call, as the program does.
    var values: [PQValue] {
        let many = deliveries
        switch kind {
        case .lookUp: return [.bytes(shas)]
        case .claim:
            return [
                .int8(token), .bytes(many.shas), .bytes(many.besides), .texts(many.targets), .texts(many.names),
                .int2s(many.rights),
            ]
        case .report:
            let contents: [PQValue] = [.bytes(shas), .int8s(sizes), .int8s(captured), .int2s(kinds)]
            let sightings: [PQValue] = [
                .uuids(origins), .int8s(volumes), .int8s(times), .chars(endings), .bytes(shas), .texts(paths),
            ]
            let copies: [PQValue] = [
                .bytes(many.shas), .bytes(many.besides), .texts(many.targets), .texts(many.names), .bools(many.shared),
                .chars(many.states), .chars(many.proofs), .int8s(many.sizes), .bytes(many.sent), .texts(many.receipts),
            ]
            return [.int8(token), .int8(number), .int8(number + 1)] + contents + sightings + copies
        }
    }
}

/// Numbers that look like digests, and what belongs to a file of that number.
enum Facts {
    static func sha(_ file: Int64) -> [UInt8] { bytes(file, 0, words: 4) }
    static func size(_ file: Int64) -> Int64 { 12_000_000 + file % 9_000_000 }

    static func bytes(_ file: Int64, _ part: UInt64, words: Int) -> [UInt8] {
        (0..<UInt64(words)).flatMap { word in
            withUnsafeBytes(of: mixed(file, part + word).bigEndian) { Array($0) }
        }
    }

    static func name(in folder: String, _ file: Int64) -> String {
        let digits = String(file)
        return "\(folder)/IMG_\(String(repeating: "0", count: max(0, 10 - digits.count)))\(digits).CR3"
    }

    private static func mixed(_ file: Int64, _ part: UInt64) -> UInt64 {
        var z = (UInt64(bitPattern: file) &* 8 &+ part &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
