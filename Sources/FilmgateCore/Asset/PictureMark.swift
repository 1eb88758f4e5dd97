/// What people said of a picture: stars, whether it is picked, and a colour.
///
/// Each was said on its own, and the latest word counts; its revision tells which is later. A revision without a value:
/// somebody took the word back, and nobody's stands.
public struct PictureMark: Sendable, Hashable {
    /// Whether it is to go out.
    public enum Pick: String, Sendable, Hashable, Codable, CaseIterable { case none, picked, rejected }

    /// 0…5; 0 says that it has none, whatever the camera says.
    public var rating: Int?
    public var pick: Pick?
    /// 0…8, as contact sheets number them; 0 says that it has none.
    public var colour: Int?
    /// Of the orders that said these; 0 = nobody ever did.
    public var ratingRevision: Int64 = 0, pickRevision: Int64 = 0, colourRevision: Int64 = 0

    public init() {}

    public static let ratings = 0...5, colours = 0...8

    /// Nobody's word stands.
    public var isEmpty: Bool { rating == nil && pick == nil && colour == nil }
    /// Of the latest word.
    public var revision: Int64 { max(ratingRevision, pickRevision, colourRevision) }

    /// Of each word the later one.
    public func latest(_ other: PictureMark) -> PictureMark {
        var mark = self
        if other.ratingRevision > ratingRevision {
            (mark.rating, mark.ratingRevision) = (other.rating, other.ratingRevision)
        }
        if other.pickRevision > pickRevision { (mark.pick, mark.pickRevision) = (other.pick, other.pickRevision) }
        if other.colourRevision > colourRevision {
            (mark.colour, mark.colourRevision) = (other.colour, other.colourRevision)
        }
        return mark
    }

    /// Of several pictures of one shot, which are judged as one.
    public static func latest(of marks: some Sequence<PictureMark>) -> PictureMark {
        marks.reduce(PictureMark()) { $0.latest($1) }
    }
}

extension PictureMark {
    /// Whether it is picked: what a person said, else what the camera did (rating -1).
    public func pick(camera: Int?) -> Pick { pick ?? (camera == -1 ? .rejected : .none) }

    /// The rating by which rules go: -1 for a rejected picture, else a person's, else the camera's; nil for one that is
    /// not rated.
    public func rating(camera: Int?) -> Int? {
        if pick(camera: camera) == .rejected { return -1 }
        if let rating { return rating == 0 ? nil : rating }
        return camera == -1 ? nil : camera
    }
}

/// What colours are called, by their numbers.
public enum MarkColour {
    /// The name that XMP labels have; nil for 0, which is none, and for what is no colour.
    public static func name(_ number: Int) -> String? { names.indices.contains(number - 1) ? names[number - 1] : nil }
    public static let names = ["Purple", "Red", "Orange", "Yellow", "Green", "Turquoise", "Blue", "Grey"]
}
