/// An unsigned or signed fraction as Exif stores it.
public struct Rational: Sendable, Hashable, Codable, CustomStringConvertible {
    public var numerator: Int64, denominator: Int64

    public init(_ numerator: Int64, _ denominator: Int64) {
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// The quotient; nil when the denominator is zero.
    public var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }

    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// What a media file says about itself (Exif 2.32, XMP, QuickTime).
///
/// Every field is absent where the file does not say.
public struct MediaFacts: Sendable, Hashable, Codable {
    public struct Position: Sendable, Hashable, Codable {
        /// Degrees north, degrees east (WGS 84), metres above sea level.
        public var latitude: Double, longitude: Double, altitude: Double?
        public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }
    }

    public var make: String?, model: String?
    /// Body serial number (Exif BodySerialNumber, 0xA431, or the make's own tag read by the make's module).
    public var serial: String?
    /// Camera owner (0xA430) and artist (0x013B).
    public var owner: String?, artist: String?
    public var lensModel: String?, lensSerial: String?
    /// When the shutter opened or the recording began, as the camera's clock said.
    public var captured: CivilTime?
    /// Seconds.
    public var exposureTime: Rational?
    public var fNumber: Rational?
    public var iso: Int?
    /// Millimetres.
    public var focalLength: Rational?
    /// 1…8, Exif 0x0112.
    public var orientation: Int?
    /// Pixels, as stored (before rotation).
    public var width: Int?, height: Int?
    public var position: Position?
    /// −1 (rejected) or 0…5.
    public var rating: Int?
    public var imageNumber: Int?
    /// How often the shutter had opened in the body's life, where the maker note says it.
    public var shutterCount: Int?
    /// Seconds; recordings only.
    public var duration: Double?

    public init() {}

    public var isEmpty: Bool { self == MediaFacts() }
}
