/// A scan over XML that is good enough for metadata packets and cannot be led astray: one pass, no recursion, no
/// entities but the five, no DTD.
///
/// Text that is no XML simply gives no events.
struct XMLScanner {
    enum Event {
        /// An element begins; `empty` when it ends at once.
        case open(name: String, attributes: [(name: String, value: String)], empty: Bool)
        case close(name: String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var place = 0
    static let attributeLimit = 512, nameLimit = 256, valueLimit = 4096

    init(_ packet: Bytes) {
        if let order = Self.wideOrder(packet) {
            bytes = Array((packet.utf16(order) ?? "").utf8)
        } else {
            bytes = packet.array
        }
    }

    /// UTF-16 shows by its byte order mark.
    private static func wideOrder(_ packet: Bytes) -> ByteOrder? {
        packet.starts(with: [0xFF, 0xFE]) ? .little : packet.starts(with: [0xFE, 0xFF]) ? .big : nil
    }

    /// The next event; nil at the end.
    mutating func next() -> Event? {
        while place < bytes.count {
            guard bytes[place] == 0x3C else {
                if let text = text() { return .text(text) }
                continue
            }
            place += 1
            guard place < bytes.count else { return nil }
            switch bytes[place] {
            case 0x21: starts("!--") ? skip(past: "-->") : starts("![CDATA[") ? skip(past: "]]>") : skip(past: ">")
            case 0x3F: skip(past: "?>")
            case 0x2F:
                place += 1
                let name = name()
                skip(past: ">")
                return .close(name: name)
            default: if let event = element() { return event }
            }
        }
        return nil
    }

    private func starts(_ text: StaticString) -> Bool { Bytes(bytes).starts(with: text, at: place) }

    private mutating func skip(past text: StaticString) {
        let view = Bytes(bytes)
        while place < bytes.count, !view.starts(with: text, at: place) { place += 1 }
        place = min(bytes.count, place + text.utf8CodeUnitCount)
    }

    private mutating func text() -> String? {
        let start = place
        var blank = true
        while place < bytes.count, bytes[place] != 0x3C {
            if !Self.isBlank(bytes[place]) { blank = false }
            place += 1
        }
        return blank ? nil : Self.decoded(bytes[start..<min(place, start + Self.valueLimit)])
    }

    private mutating func name() -> String {
        let start = place
        while place < bytes.count, !Self.isBlank(bytes[place]), ![0x3E, 0x2F, 0x3D, 0x3C].contains(bytes[place]) {
            place += 1
        }
        return String(decoding: bytes[start..<min(place, start + Self.nameLimit)], as: UTF8.self)
    }

    private mutating func skipBlanks() { while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 } }

    private mutating func element() -> Event? {
        let title = name()
        guard !title.isEmpty else { return nil }
        var attributes: [(name: String, value: String)] = []
        while true {
            skipBlanks()
            guard place < bytes.count else { return nil }
            switch bytes[place] {
            case 0x3E:
                place += 1
                return .open(name: title, attributes: attributes, empty: false)
            case 0x2F where place + 1 < bytes.count && bytes[place + 1] == 0x3E:
                place += 2
                return .open(name: title, attributes: attributes, empty: true)
            default:
                guard let attribute = attribute() else { return nil }
                if attributes.count < Self.attributeLimit { attributes.append(attribute) }
            }
        }
    }

    /// Nil when what follows is no attribute; at least one byte has been passed then.
    private mutating func attribute() -> (name: String, value: String)? {
        let key = name()
        skipBlanks()
        guard !key.isEmpty, place < bytes.count, bytes[place] == 0x3D else { place += 1; return nil }
        place += 1
        skipBlanks()
        guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27 else { return nil }
        let quote = bytes[place]
        place += 1
        let start = place
        while place < bytes.count, bytes[place] != quote { place += 1 }
        let value = Self.decoded(bytes[start..<min(place, start + Self.valueLimit)])
        place = min(bytes.count, place + 1)
        return (key, value)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
