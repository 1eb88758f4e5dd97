public import FilmgateCore

/// The frames of a made-up shoot that goes on, by three bodies in turn.
public struct SampleShoot: Sendable {
    private let contents: SampleContents

    /// `width`: of the pictures, in pixels.
    public init(seed: UInt64 = 1, width: Int = 960) { contents = SampleContents(seed: seed, width: width) }

    /// Name and bytes of one frame, a JPEG with Exif and a thumbnail; another number gives another picture.
    ///
    /// Takes some milliseconds of a core.
    public func frame(_ number: Int, taken time: CivilTime) -> (name: String, bytes: [UInt8]) {
        var frame = Frame.wedding[number % Frame.wedding.count]
        (frame.number, frame.captured) = (number, time)
        (frame.rating, frame.position) = (nil, nil)
        let digits = String(number % 10_000), zeros = String(repeating: "0", count: 4 - digits.count)
        return ("IMG_\(zeros)\(digits).JPG", contents.jpeg(frame))
    }
}
