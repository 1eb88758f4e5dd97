internal import FilmgateCore

/// One press of the shutter: the body that made it and the settings that Exif records.
struct Frame {
    var body: SampleBody
    var number: Int
    var captured: CivilTime
    /// Exposure time as a fraction of a second, f-number times ten, millimetres.
    var exposure: (UInt32, UInt32), aperture: UInt32, iso: UInt16, focalLength: UInt32
    /// 1…8, Exif 0x0112.
    var orientation: UInt16
    var rating: UInt16?
    var position: Position?

    /// Degrees, minutes, hundredths of a second north and east; metres.
    struct Position { var north: (UInt32, UInt32, UInt32), east: (UInt32, UInt32, UInt32), metres: UInt32 }

    /// A frame of the sample day, 16 May 2026, two hours east of UTC; `at` is hour, minute, second, hundredths.
    ///
    /// Nil for a time that no day has.
    init?(
        body: SampleBody, number: Int, at moment: (Int, Int, Int, Int), exposure: (UInt32, UInt32), aperture: UInt32,
        iso: UInt16, focalLength: UInt32, orientation: UInt16 = 1, rating: UInt16? = nil, position: Position? = nil
    ) {
        guard
            let captured = CivilTime(
                year: 2026, month: 5, day: 16, hour: moment.0, minute: moment.1, second: moment.2,
                nanosecond: moment.3 * 10_000_000, offsetMinutes: 120)
        else { return nil }
        (self.body, self.number, self.captured) = (body, number, captured)
        (self.exposure, self.aperture, self.iso, self.focalLength) = (exposure, aperture, iso, focalLength)
        (self.orientation, self.rating, self.position) = (orientation, rating, position)
    }

    /// The picture's seed: another one for each body, frame and card.
    func seed(of card: UInt64) -> UInt64 {
        var random = SampleRandom(seed: card &* 0x1_0000_0001 &+ UInt64(truncatingIfNeeded: number))
        return random.next() ^ body.model.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    }

    /// Nanoseconds since 1970, what the card's file system would say.
    var modified: Int64 { (captured.unixSeconds ?? captured.civilSeconds) * 1_000_000_000 }
}

/// A camera body and what it writes into every file.
struct SampleBody {
    var make: String, model: String, serial: String, software: String
    var owner: String, artist: String
    var lensMake: String, lensModel: String, lensSerial: String
    /// Shortest and longest focal length in millimetres, widest aperture at each times ten.
    var lensRange: (UInt32, UInt32, UInt32, UInt32)
    var bigEndian: Bool
    var folder: String, rawExtension: String
}
