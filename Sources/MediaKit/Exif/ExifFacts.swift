import FilmgateCore

extension MediaFacts {
    /// Fills what is still missing from the standard tags; a value that makes no sense counts as absent.
    ///
    /// DateTime is not a time of capture.
    mutating func fill(from tags: some TagSource) {
        let tags = TagLookup(source: tags)
        make = make ?? tags.text(Tag.make)
        model = model ?? tags.text(Tag.model)
        serial = serial ?? tags.text(Tag.serial) ?? tags.text(Tag.dngSerial)
        owner = owner ?? tags.text(Tag.owner)
        artist = artist ?? tags.text(Tag.artist)
        lensModel = lensModel ?? tags.text(Tag.lensModel)
        lensSerial = lensSerial ?? tags.text(Tag.lensSerial)
        captured = captured ?? tags.captured
        exposureTime = exposureTime ?? tags.positive(Tag.exposureTime)
        fNumber = fNumber ?? tags.positive(Tag.fNumber)
        focalLength = focalLength ?? tags.positive(Tag.focalLength)
        iso = iso ?? tags.iso
        orientation = orientation ?? tags.integer(Tag.orientation, in: 1...8)
        rating = rating ?? tags.integer(Tag.rating, in: 0...5)
        imageNumber = imageNumber ?? tags.integer(Tag.imageNumber, in: 0...Int(Int32.max))
        position = position ?? tags.position
        if width == nil || height == nil {
            (width, height) = (
                tags.integer(Tag.pixelWidth, in: 1...1_000_000), tags.integer(Tag.pixelHeight, in: 1...1_000_000)
            )
        }
    }
}

extension TagSource {
    /// When the file was last changed (DateTime): the best guess where nothing says when it was taken.
    var modified: CivilTime? { TagLookup(source: self).modified }
}

/// Standard tags wherever the file keeps them: TIFF-based files have many of the Exif directory's tags in the first
/// directory.
private struct TagLookup<Source: TagSource> {
    let source: Source

    func value(_ tag: UInt16) -> TagValue? {
        source.value(tag, in: .exif) ?? source.value(tag, in: .image) ?? source.value(tag, in: .thumbnail)
    }

    func text(_ tag: UInt16) -> String? {
        [TagFolder.image, .exif, .thumbnail].lazy.compactMap { source.value(tag, in: $0)?.text }.first {
            !$0.allSatisfy(\.isWhitespace)
        }
    }

    func integer(_ tag: UInt16, in range: ClosedRange<Int>) -> Int? {
        (source.value(tag, in: .image) ?? source.value(tag, in: .exif))?.integer().flatMap { Int(exactly: $0) }
            .flatMap { range.contains($0) ? $0 : nil }
    }

    func positive(_ tag: UInt16) -> Rational? {
        value(tag)?.rational().flatMap { $0.numerator > 0 && $0.denominator > 0 ? $0 : nil }
    }

    /// ISO speed; beyond 65,534 the 16 bits of the old tag say so and the Exif 2.3 tags have it.
    var iso: Int? {
        let old = integer(Tag.iso, in: 1...Int(Int32.max))
        if let old, old < 65_535 { return old }
        let newer = [Tag.recommendedIndex, Tag.isoSpeed, Tag.standardSensitivity]
        return newer.lazy.compactMap { integer($0, in: 1...Int(Int32.max)) }.first ?? old
    }

    /// DateTimeOriginal, else DateTimeDigitized, each with its own fraction and offset.
    var captured: CivilTime? {
        time(Tag.dateTimeOriginal, Tag.subSecondOriginal, Tag.offsetTimeOriginal)
            ?? time(Tag.dateTimeDigitized, Tag.subSecondDigitized, Tag.offsetTimeDigitized)
    }

    /// DateTime: when the file was last changed, which for an untouched frame is its capture.
    var modified: CivilTime? { time(Tag.dateTime, Tag.subSecond, Tag.offsetTime) }

    private func time(_ tag: UInt16, _ fraction: UInt16, _ offset: UInt16) -> CivilTime? {
        guard var time = value(tag)?.text.flatMap({ CivilTime(text: $0) }) else { return nil }
        if let text = value(fraction)?.text, let nanosecond = CivilTime.fraction(text: text) {
            time.nanosecond = nanosecond
        }
        if let text = value(offset)?.text, let minutes = CivilTime.offset(text: text) { time.offsetMinutes = minutes }
        return time
    }

    var position: MediaFacts.Position? {
        guard let latitude = degrees(2, reference: 1, limit: 90), let longitude = degrees(4, reference: 3, limit: 180)
        else { return nil }
        var altitude = source.value(6, in: .gps)?.rational()?.value
        if source.value(5, in: .gps)?.integer() == 1 { altitude = altitude.map { -$0 } }
        return .init(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// Degrees, minutes and seconds with the letter of their half of the globe.
    ///
    /// 0/0 stands for "unknown".
    private func degrees(_ tag: UInt16, reference: UInt16, limit: Double) -> Double? {
        guard let value = source.value(tag, in: .gps), let whole = value.rational(0)?.value else { return nil }
        let size = whole + (value.rational(1)?.value ?? 0) / 60 + (value.rational(2)?.value ?? 0) / 3600
        guard size.isFinite, size >= 0, size <= limit, let letter = source.value(reference, in: .gps)?.text?.first
        else { return nil }
        return "SWsw".contains(letter) ? -size : size
    }
}
