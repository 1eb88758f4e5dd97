public import FilmgateCore

/// A make of camcorders whose stills carry no note, and whose AVCHD clips carry its number.
public struct JVCClips: MakerNoteReader {
    public let clipMakes = [0x1104: "JVC"]

    public init() {}

    public func reads(make: String) -> Bool { false }
    public func facts(in note: MakerNote, model: String) -> MediaFacts { MediaFacts() }
}
