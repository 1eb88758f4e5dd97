/// A file on a card or a camera, as the ledger remembers it.
///
/// A card has tens of thousands of them, all in memory while it is read: what repeats from file to file is kept once,
/// and numbers are as small as they may be.
public struct KnownFile: Sendable, Hashable {
    private var path: SplitText, shotKey: SplitText
    private var size: UInt64, modified: Int64, born: Int64, inode: UInt64, changed: Int64
    /// Identities of the targets that have a done receipt for this content.
    public var done: [String]
    /// Identities of the targets for which its delivery was taken back (``DeliveryRow/isCancelled``).
    public var cancelled: [String] = []
    /// What it was taken with; nil where nothing is known.
    public var camera: KnownCamera?
    private var key: PackedKey
    public var kind: MediaKind
    public var ending: Ending?
    /// The time counts UTC by the movie's standard (``AssetFlag/zoneAssumed``).
    public var zoneAssumed = false
    /// The file has been read for its metadata; else rating and size in pixels say nothing.
    public var isRead = false
    /// It was protected in the camera (``AssetFlag/protected``) when it was taken.
    public var isProtected = false
    public var captured: CivilTime?
    private var storedEvent: SharedName?
    /// What people said of it; the rating and picking of it alone count.
    public var mark: PictureMark {
        get { storedMark.mark }
        set { storedMark = SmallMark(newValue) }
    }
    private var storedMark = SmallMark()
    private var storedRating = SmallNumber(), storedWidth = SmallNumber(), storedHeight = SmallNumber()

    public init(
        fingerprint: Fingerprint, content: ContentKey?, kind: MediaKind, ending: Ending?, make: String?, model: String?,
        serial: String?, owner: String?, captured: CivilTime?, done: [String], shot: String
    ) {
        let camera = KnownCamera(make: make, model: model, serial: serial, owner: owner)
        self.init(fingerprint, content, kind, ending, camera.isEmpty ? nil : camera, captured, shot: shot)
        self.done = done
    }

    /// `neighbour` is one that probably has the same folder: then both share its name.
    public init(
        _ fingerprint: Fingerprint, _ content: ContentKey?, _ kind: MediaKind, _ ending: Ending?,
        _ camera: KnownCamera?, _ captured: CivilTime?, shot: String, beside neighbour: KnownFile? = nil
    ) {
        path = SplitText(fingerprint.path, beside: neighbour?.path)
        shotKey = SplitText(shot, beside: neighbour?.shotKey)
        (size, modified, born) = (fingerprint.size, fingerprint.modified, fingerprint.born)
        (inode, changed) = (fingerprint.inode, fingerprint.changed)
        (key, self.kind, self.ending, self.camera, self.captured) = (PackedKey(content), kind, ending, camera, captured)
        done = []
    }
}

/// A name that thousands of files have in common, in the room of a pointer.
private final class SharedName: Sendable, Hashable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (a: SharedName, b: SharedName) -> Bool { a.name == b.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension KnownFile {
    /// The event that it was taken for last; nil where that was none.
    public var event: String? { storedEvent?.name }

    /// `other` is one that probably has the same: then both share its name.
    public mutating func take(event: String?, beside other: KnownFile? = nil) {
        storedEvent = other?.event == event ? other?.storedEvent : event.map(SharedName.init)
    }

    public var fingerprint: Fingerprint {
        Fingerprint(path: path.text, size: size, modified: modified, born: born, inode: inode, changed: changed)
    }
    public var content: ContentKey? { key.content }
    /// Its bytes have been read; cheaper than to ask for the content.
    public var hasContent: Bool { key != .none }
    /// The shot's key.
    public var shot: String { shotKey.text }
    public var make: String? { camera?.make }
    public var model: String? { camera?.model }
    public var serial: String? { camera?.serial }
    public var owner: String? { camera?.owner }

    /// As in `MediaFacts`.
    public var rating: Int? {
        get { storedRating.value }
        set { storedRating.value = newValue }
    }
    public var width: Int? {
        get { storedWidth.value }
        set { storedWidth.value = newValue }
    }
    public var height: Int? {
        get { storedHeight.value }
        set { storedHeight.value = newValue }
    }

    /// Lies at that path and has that size; cheaper than to compare fingerprints.
    public func liesWhere(_ facts: Fingerprint) -> Bool { size == facts.size && path.isSpelled(as: facts.path) }

    public func liesAt(_ path: String) -> Bool { self.path.isSpelled(as: path) }

    /// The same for all files of which `liesWhere` is true, and for hardly any others.
    public var placeHash: Int { path.hash(size) }
    public static func placeHash(_ facts: Fingerprint) -> Int { SplitText.hash(of: facts.path, facts.size) }
}

/// What a known file was taken with; one value for all files of one body.
public final class KnownCamera: Sendable, Hashable {
    public let make: String?, model: String?, serial: String?, owner: String?

    public init(make: String?, model: String?, serial: String?, owner: String?) {
        (self.make, self.model, self.serial, self.owner) = (make, model, serial, owner)
    }

    var isEmpty: Bool { make == nil && model == nil && serial == nil && owner == nil }

    public static func == (a: KnownCamera, b: KnownCamera) -> Bool {
        a === b || (a.make, a.model, a.serial, a.owner) == (b.make, b.model, b.serial, b.owner)
    }
    public func hash(into hasher: inout Hasher) {
        for text in [make, model, serial, owner] { hasher.combine(text) }
    }
}

/// A path in two pieces: names are mostly short enough to need no memory of their own, and neighbours share their
/// folder.
private struct SplitText: Sendable, Hashable {
    /// With the `/` at its end.
    private var folder = ""
    private(set) var name = ""

    init(_ text: String, beside neighbour: SplitText?) {
        var text = text
        text.withUTF8 { bytes in
            let cut = Self.cut(bytes)
            name = String(decoding: bytes[cut...], as: UTF8.self)
            let head = UnsafeBufferPointer(rebasing: bytes[..<cut])
            if let shared = neighbour?.folder, shared.isSpelled(as: head) {
                folder = shared
            } else {
                folder = String(decoding: head, as: UTF8.self)
            }
        }
    }

    var text: String { folder.isEmpty ? name : folder + name }

    func hash(_ size: UInt64) -> Int {
        var hasher = Hasher()
        hash(into: &hasher)
        hasher.combine(size)
        return hasher.finalize()
    }

    /// The same without cutting it.
    static func hash(of text: String, _ size: UInt64) -> Int {
        var hasher = Hasher(), text = text
        text.withUTF8 { bytes in
            let cut = cut(bytes)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[cut...]))
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<cut]))
        }
        hasher.combine(size)
        return hasher.finalize()
    }

    /// Behind the last `/`.
    private static func cut(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var cut = bytes.count
        while cut > 0, bytes[cut - 1] != 0x2F { cut -= 1 }
        return cut
    }

    func isSpelled(as text: String) -> Bool {
        var text = text
        return text.withUTF8 { all in
            let cut = folder.utf8.count
            guard all.count >= cut else { return false }
            return folder.isSpelled(as: UnsafeBufferPointer(rebasing: all[..<cut]))
                && name.isSpelled(as: UnsafeBufferPointer(rebasing: all[cut...]))
        }
    }

    static func == (a: SplitText, b: SplitText) -> Bool {
        a.name.isSpelled(as: b.name) && a.folder.isSpelled(as: b.folder)
    }
    func hash(into hasher: inout Hasher) {
        name.hashSpelling(into: &hasher)
        folder.hashSpelling(into: &hasher)
    }
}

/// A mark in four bytes; whose word is later is not kept.
private struct SmallMark: Sendable, Hashable {
    private var rating: UInt8 = 0, pick: UInt8 = 0

    init() {}
    init(_ mark: PictureMark) {
        rating = mark.rating.map { UInt8(clamping: $0 + 1) } ?? 0
        pick = mark.pick.flatMap { PictureMark.Pick.allCases.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
    }

    var mark: PictureMark {
        var mark = PictureMark()
        if rating > 0 { (mark.rating, mark.ratingRevision) = (Int(rating) - 1, 1) }
        if pick > 0 { (mark.pick, mark.pickRevision) = (PictureMark.Pick.allCases[Int(pick) - 1], 1) }
        return mark
    }
}

/// A number of some pixels or stars, or none.
private struct SmallNumber: Sendable, Hashable {
    private var stored = Int32.min
    var value: Int? {
        get { stored == .min ? nil : Int(stored) }
        set { stored = newValue.map { max(-Int32.max, Int32(clamping: $0)) } ?? .min }
    }
}

/// A content key in 32 bytes where it is a SHA-256, as of nearly all files.
private enum PackedKey: Sendable, Hashable {
    case none, digest(UInt64, UInt64, UInt64, UInt64), other(ContentKey)

    init(_ key: ContentKey?) {
        guard let key else {
            self = .none
            return
        }
        var text = key.rawValue
        let packed = text.withUTF8 { digits -> PackedKey? in
            guard digits.count == 64, let a = Self.read(digits, 0), let b = Self.read(digits, 16),
                let c = Self.read(digits, 32),
                let d = Self.read(digits, 48)
            else { return nil }
            return .digest(a, b, c, d)
        }
        self = packed ?? .other(key)
    }

    var content: ContentKey? {
        switch self {
        case .none: nil
        case .other(let key): key
        case .digest(let a, let b, let c, let d):
            ContentKey(
                rawValue: String(unsafeUninitializedCapacity: 64) { digits in
                    for (place, word) in [a, b, c, d].enumerated() { Self.write(word, to: digits, place * 16) }
                    return 64
                })
        }
    }

    /// Sixteen digits of lower-case hexadecimal only: they must come out as they went in.
    private static func read(_ digits: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64? {
        guard let high = read(eight: digits, start), let low = read(eight: digits, start + 8) else { return nil }
        return high << 32 | low
    }

    /// Eight digits at once, one in each byte of a word: a card has a million of them.
    private static func read(eight digits: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64? {
        let text = UInt64(
            bigEndian: UnsafeRawBufferPointer(digits).loadUnaligned(fromByteOffset: start, as: UInt64.self))
        let each: UInt64 = 0x0101_0101_0101_0101, isLetter = text >> 6 & each
        var value = (text & each * 15) &+ isLetter * 9
        // What was no such digit does not become the same text again.
        let again = value &+ each * 0x30 &+ ((value &+ each * 6) >> 4 & each) * 39
        guard value & each * 0xF0 == 0, again == text else { return nil }
        value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        return (value | value >> 16) & 0xFFFF_FFFF
    }

    private static func write(_ word: UInt64, to digits: UnsafeMutableBufferPointer<UInt8>, _ start: Int) {
        for place in 0..<16 {
            let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15
            digits[start + place] = value < 10 ? 0x30 + value : 0x57 + value
        }
    }
}
