/// One directory of a TIFF file (TIFF 6.0 §2): entries and what they point at.
struct TIFFDirectory {
    private(set) var entries: [TIFFEntry] = []

    init(_ entries: [TIFFEntry] = []) { for entry in entries { set(entry.tag, entry.value) } }

    /// Adds the entry, replacing one of the same tag.
    mutating func set(_ tag: UInt16, _ value: TIFFValue) {
        entries.removeAll { $0.tag == tag }
        entries.append(TIFFEntry(tag, value))
        entries.sort { $0.tag < $1.tag }
    }
}

struct TIFFEntry {
    let tag: UInt16, value: TIFFValue
    init(_ tag: UInt16, _ value: TIFFValue) { (self.tag, self.value) = (tag, value) }
}

/// What an entry holds.
///
/// `directories` and `blob` become offsets when the file is laid out.
enum TIFFValue {
    case bytes([UInt8])
    case ascii(String)
    case short([UInt16])
    case long([UInt32])
    /// Numerators and denominators in turn.
    case rational([UInt32])
    case undefined([UInt8])
    case directories([TIFFDirectory])
    case blob([UInt8])

    static func short(_ one: UInt16) -> TIFFValue { .short([one]) }
    static func long(_ one: UInt32) -> TIFFValue { .long([one]) }
    static func rational(_ numerator: UInt32, _ denominator: UInt32) -> TIFFValue {
        .rational([numerator, denominator])
    }

    var type: UInt16 {
        switch self {
        case .bytes: 1
        case .ascii: 2
        case .short: 3
        case .long, .directories, .blob: 4
        case .rational: 5
        case .undefined: 7
        }
    }

    var count: Int {
        switch self {
        case .bytes(let values), .undefined(let values): values.count
        case .ascii(let text): text.utf8.count + 1
        case .short(let values): values.count
        case .long(let values): values.count
        case .rational(let values): values.count / 2
        case .directories(let children): children.count
        case .blob: 1
        }
    }
}
