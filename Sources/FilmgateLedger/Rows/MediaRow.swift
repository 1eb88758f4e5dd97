import FilmgateCore

/// The columns of `content` that hold what a file says about itself, in one order for writing and reading.
enum MediaRow {
    static let names = [
        "known", "camera_id", "captured", "artist", "lens_model", "lens_serial", "exposure_num", "exposure_den",
        "aperture_num", "aperture_den", "iso", "focal_num", "focal_den", "orientation", "width", "height", "latitude",
        "longitude", "altitude", "rating", "image_number", "duration",
    ]

    /// Binds one value for each of `names`; nil media gives `known` = 0 and nothing else.
    static func bind(_ media: MediaFacts?, camera: Int64?, to query: inout Query) {
        guard let media else {
            query.bind(false)
            for _ in names.dropFirst() { query.bindNull() }
            return
        }
        query.bind(true)
        query.bind(camera)
        query.bind(media.captured?.description)
        query.bind(media.artist)
        query.bind(media.lensModel)
        query.bind(media.lensSerial)
        bind(media.exposureTime, &query)
        bind(media.fNumber, &query)
        query.bind(media.iso)
        bind(media.focalLength, &query)
        query.bind(media.orientation)
        query.bind(media.width)
        query.bind(media.height)
        query.bind(media.position?.latitude)
        query.bind(media.position?.longitude)
        query.bind(media.position?.altitude)
        query.bind(media.rating)
        query.bind(media.imageNumber)
        query.bind(media.duration)
    }

    /// Reads `names`, all but the camera, which is another table's.
    static func read(_ query: inout Query) -> MediaFacts? {
        guard query.int() == 1 else {
            query.skip(names.count - 1)
            return nil
        }
        var media = MediaFacts()
        query.skip(1)
        media.captured = query.textOrNil().flatMap { CivilTime($0) }
        (media.artist, media.lensModel, media.lensSerial) = (query.textOrNil(), query.textOrNil(), query.textOrNil())
        media.exposureTime = rational(&query)
        media.fNumber = rational(&query)
        media.iso = number(&query)
        media.focalLength = rational(&query)
        (media.orientation, media.width, media.height) = (number(&query), number(&query), number(&query))
        media.position = position(query.doubleOrNil(), query.doubleOrNil(), query.doubleOrNil())
        (media.rating, media.imageNumber) = (number(&query), number(&query))
        media.duration = query.doubleOrNil()
        return media
    }

    private static func bind(_ value: Rational?, _ query: inout Query) {
        query.bind(value?.numerator)
        query.bind(value?.denominator)
    }

    private static func rational(_ query: inout Query) -> Rational? {
        let parts = (query.intOrNil(), query.intOrNil())
        guard let numerator = parts.0, let denominator = parts.1 else { return nil }
        return Rational(numerator, denominator)
    }

    private static func number(_ query: inout Query) -> Int? { query.intOrNil().map { Int($0) } }

    private static func position(_ latitude: Double?, _ longitude: Double?, _ altitude: Double?) -> MediaFacts.Position?
    {
        guard let latitude, let longitude else { return nil }
        return MediaFacts.Position(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}
