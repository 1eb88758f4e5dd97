import FilmgateCore

/// A movie's `meta` box: keys by name (`mdta`) or by box type (`ilst` alone).
enum MovieKeys {
    static let countLimit: UInt32 = 512

    static func facts(in meta: Box) -> MediaFacts {
        // QuickTime's box has no version field, ISO's has.
        let boxes = meta.children(from: FourCC(meta.body.upTo(8), at: 4) == "hdlr" ? 0 : 4)
        let names = boxes["keys"].map { keys($0.body) } ?? []
        var facts = MediaFacts()
        for item in boxes["ilst"]?.children() ?? [] {
            guard let value = item.children()["data"]?.body, let content = value.from(8)?.upTo(1024).text else {
                continue
            }
            let number = Int(item.type.value)
            take(number >= 1 && number <= names.count ? names[number - 1] : shortName(item.type), content, into: &facts)
        }
        return facts
    }

    private static func keys(_ body: ByteRegion) -> [String] {
        guard let count = body.u32(4, .big) else { return [] }
        var names: [String] = [], place: UInt64 = 8
        for _ in 0..<min(count, countLimit) {
            guard let size = body.u32(place, .big), size >= 8, let name = body.bytes(place + 8, Int(min(size - 8, 256)))
            else {
                return names
            }
            names.append(name.rawText)
            place += UInt64(size)
        }
        return names
    }

    private static func shortName(_ type: FourCC) -> String {
        switch type {
        case "\u{A9}mak": "make"
        case "\u{A9}mod": "model"
        case "\u{A9}day": "creationdate"
        default: ""
        }
    }

    private static func take(_ key: String, _ value: String, into facts: inout MediaFacts) {
        switch key.split(separator: ".").last.map(String.init) {
        case "make": facts.make = value
        case "model": facts.model = value
        case "creationdate": facts.captured = CivilTime(text: value)
        case "ISO6709": facts.position = MediaFacts.Position(iso6709: value)
        case "rating" where key.hasSuffix("rating.user"):
            facts.rating = Double(value).flatMap { Int(exactly: $0) }.flatMap { (0...5).contains($0) ? $0 : nil }
        default: break
        }
    }
}

/// International text in a movie's user data: length, language, text.
enum UserText {
    static func facts(in userData: [Box]) -> MediaFacts {
        var facts = MediaFacts()
        for box in userData {
            if box.type == "date" {
                facts.captured = facts.captured ?? box.body.upTo(64).text.flatMap { CivilTime(text: $0) }
            }
            if box.type == "loci" { facts.position = facts.position ?? location(box.body) }
            guard let text = text(of: box) else { continue }
            switch box.type {
            case "\u{A9}mak", "@mak": facts.make = text
            case "\u{A9}mod", "@mod": facts.model = text
            case "\u{A9}day", "@day": facts.captured = CivilTime(text: text)
            case "\u{A9}xyz", "@xyz": facts.position = MediaFacts.Position(iso6709: text)
            default: break
            }
        }
        return facts
    }

    /// 3GPP TS 26.244 §8.10: language, a name, a role, then longitude, latitude and altitude as 16.16 fixed point.
    private static func location(_ body: ByteRegion) -> MediaFacts.Position? {
        let bytes = body.upTo(512)
        guard let end = bytes.index(of: [0], from: 6), let numbers = bytes.part(end + 2, 12) else { return nil }
        let values = [0, 4, 8].compactMap { numbers.u32($0, .big) }.map { Double(Int32(bitPattern: $0)) / 65_536 }
        guard values.count == 3, abs(values[0]) <= 180, abs(values[1]) <= 90 else { return nil }
        return .init(latitude: values[1], longitude: values[0], altitude: values[2])
    }

    private static func text(of box: Box) -> String? {
        guard let length = box.body.u16(0, .big), length > 0 else { return nil }
        return box.body.from(4)?.upTo(min(Int(length), 1024)).text
    }
}

extension MediaFacts.Position {
    /// `+59.9139+010.7522+012.345/` (ISO 6709 Annex H), degrees only.
    init?(iso6709 text: String) {
        var numbers: [String] = []
        for character in text {
            if character == "+" || character == "-" {
                numbers.append(String(character))
            } else if character == "/" {
                break
            } else if !numbers.isEmpty {
                guard character == "." || character.isNumber, numbers[numbers.count - 1].utf8.count < 24 else { break }
                numbers[numbers.count - 1].append(character)
            }
            if numbers.count > 3 { return nil }
        }
        guard numbers.count >= 2, let latitude = Double(numbers[0]), let longitude = Double(numbers[1]),
            abs(latitude) <= 90,
            abs(longitude) <= 180
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, altitude: numbers.count > 2 ? Double(numbers[2]) : nil)
    }
}
