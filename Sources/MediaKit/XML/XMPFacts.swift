import FilmgateCore

extension MediaFacts {
    /// Fills what is missing from an XMP packet (ISO 16684-1), properties as attributes or as elements, whatever their
    /// prefixes are.
    mutating func fill(fromXMP packet: Bytes) {
        let properties = XMPProperties(packet)
        make = make ?? properties["tiff:Make"]
        model = model ?? properties["tiff:Model"]
        serial = serial ?? properties["exifEX:BodySerialNumber"] ?? properties["aux:SerialNumber"]
        owner = owner ?? properties["exifEX:CameraOwnerName"] ?? properties["aux:OwnerName"]
        artist = artist ?? properties["tiff:Artist"] ?? properties["dc:creator"]
        lensModel = lensModel ?? properties["exifEX:LensModel"] ?? properties["aux:Lens"]
        lensSerial = lensSerial ?? properties["exifEX:LensSerialNumber"] ?? properties["aux:LensSerialNumber"]
        captured =
            captured
            ?? ["exif:DateTimeOriginal", "exif:DateTimeDigitized", "photoshop:DateCreated", "xmp:CreateDate"]
            .lazy.compactMap { properties[$0] }.compactMap { CivilTime(text: $0) }.first
        exposureTime = exposureTime ?? properties.fraction("exif:ExposureTime")
        fNumber = fNumber ?? properties.fraction("exif:FNumber")
        focalLength = focalLength ?? properties.fraction("exif:FocalLength")
        iso =
            iso ?? properties.number("exifEX:PhotographicSensitivity", 1...Int(Int32.max))
            ?? properties.number("exif:ISOSpeedRatings", 1...Int(Int32.max))
        orientation = orientation ?? properties.number("tiff:Orientation", 1...8)
        rating = rating ?? properties.number("xmp:Rating", -1...5)
        imageNumber = imageNumber ?? properties.number("aux:ImageNumber", 0...Int(Int32.max))
        position = position ?? properties.position
        if width == nil || height == nil {
            (width, height) = (
                properties.number("exif:PixelXDimension", 1...1_000_000),
                properties.number("exif:PixelYDimension", 1...1_000_000)
            )
        }
    }
}

/// The properties of a packet that are of interest, by their usual prefix and name.
///
/// The first value that is met stays.
struct XMPProperties {
    private var values: [String: String] = [:]

    private static let prefixes: [String: String] = [
        "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://cipa.jp/exif/1.0/": "exifEX",
        "http://cipa.jp/exif/1.0/exifEX": "exifEX", "http://ns.adobe.com/exif/1.0/aux/": "aux",
        // exiftool -X
        "http://ns.exiftool.org/EXIF/IFD0/1.0/": "tiff", "http://ns.exiftool.org/EXIF/ExifIFD/1.0/": "exif",
        "http://ns.exiftool.ca/EXIF/IFD0/1.0/": "tiff", "http://ns.exiftool.ca/EXIF/ExifIFD/1.0/": "exif",
        "http://ns.adobe.com/photoshop/1.0/": "photoshop", "http://purl.org/dc/elements/1.1/": "dc",
    ]
    private static let valueLimit = 256

    init(_ packet: Bytes) {
        var scanner = XMLScanner(packet)
        var spaces: [String: String] = [:], open: (name: String, key: String)?
        while values.count < Self.valueLimit, let event = scanner.next() {
            switch event {
            case .open(let name, let attributes, let empty):
                for attribute in attributes where attribute.name.hasPrefix("xmlns:") {
                    spaces[String(attribute.name.dropFirst(6))] = Self.prefixes[attribute.value] ?? ""
                }
                for attribute in attributes { keep(attribute.value, Self.key(attribute.name, spaces)) }
                if !empty, open == nil, let key = Self.key(name, spaces) { open = (name, key) }
            case .text(let text): if let open { keep(text, open.key) }
            case .close(let name): if name == open?.name { open = nil }
            }
        }
    }

    private static func key(_ name: String, _ spaces: [String: String]) -> String? {
        guard let colon = name.firstIndex(of: ":"), let prefix = spaces[String(name[..<colon])], !prefix.isEmpty else {
            return nil
        }
        return prefix + String(name[colon...])
    }

    private mutating func keep(_ value: String, _ key: String?) {
        guard let key, values[key] == nil else { return }
        values[key] = value
    }

    /// Without blanks at either end; nil when nothing is left.
    subscript(_ key: String) -> String? {
        guard var text = values[key]?[...] else { return nil }
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }

    /// A whole number, also when written as `5.0`.
    func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        self[key].flatMap { Double($0) }.flatMap { Int(exactly: $0.rounded()) }.flatMap {
            range.contains($0) ? $0 : nil
        }
    }

    /// Coordinates as `59,54.6N` or `59,54,36N`; the altitude is a fraction, 1 in its reference means below the sea.
    var position: MediaFacts.Position? {
        guard let latitude = degrees("exif:GPSLatitude", "NS", 90),
            let longitude = degrees("exif:GPSLongitude", "EW", 180)
        else {
            return nil
        }
        let height = fraction("exif:GPSAltitude")?.value
        return .init(
            latitude: latitude, longitude: longitude,
            altitude: self["exif:GPSAltitudeRef"] == "1" ? height.map { -$0 } : height)
    }

    private func degrees(_ key: String, _ halves: String, _ limit: Double) -> Double? {
        guard let text = self[key], let half = text.last, halves.contains(half) else { return nil }
        let parts = text.dropLast().split(separator: ",").map { Double($0) }
        guard (1...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 && $0.isFinite } ?? false }) else {
            return nil
        }
        let size = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + ($1.0 ?? 0) / $1.1 }
        guard size <= limit else { return nil }
        return half == halves.last ? -size : size
    }

    /// `1/250` or a whole number.
    func fraction(_ key: String) -> Rational? {
        guard let parts = self[key]?.split(separator: "/"), let top = parts.first.flatMap({ Int64($0) }), top > 0 else {
            return nil
        }
        let bottom = parts.count == 2 ? Int64(parts[1]) : parts.count == 1 ? 1 : nil
        return bottom.flatMap { $0 > 0 ? Rational(top, $0) : nil }
    }
}
