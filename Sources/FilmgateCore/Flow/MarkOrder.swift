/// What somebody says of pictures, or takes back.
public struct MarkOrder: Sendable, Hashable {
    public enum Order: Sendable, Hashable {
        /// What is nil stays as it is.
        ///
        /// `sha256s`: any file of each shot; a shot's pictures are marked as one.
        case set(rating: Int?, pick: PictureMark.Pick?, colour: Int?, sha256s: [String])
        /// The order that has that token; what somebody has said of a picture since stays.
        case undo(token: String)
    }
    /// An order of very many pictures is carried out part by part, so that whoever else writes never waits long.
    public struct Part: Sendable, Hashable {
        /// Of the whole order.
        public var token: String
        /// The revision of the part that was taken back last; the parts before it are left.
        public var before: Int64
        /// The revision of the first part of the order that is taken back; nil where nothing of it was yet.
        public var first: Int64?

        public init(token: String, before: Int64 = .max, first: Int64? = nil) {
            (self.token, self.before, self.first) = (token, before, first)
        }
    }
    public var order: Order
    /// Who says it, as people are told.
    public var by: String
    /// Nil for an order by itself, and for the first part of one.
    public var part: Part?

    public init(_ order: Order, by: String, part: Part? = nil) {
        (self.order, self.by, self.part) = (order, by, part)
    }
}

/// What became of an order.
public struct MarkOutcome: Sendable, Hashable {
    /// Rises with each order.
    public var revision: Int64
    /// Takes this order back, all parts of it.
    public var undo: String
    /// The pictures whose marks it set: all of each shot.
    public var sha256s: [String]
    /// What is left of an order that is taken back part by part: the next one is asked for with it.
    public var rest: MarkOrder.Part?

    public init(revision: Int64, undo: String, sha256s: [String], rest: MarkOrder.Part? = nil) {
        (self.revision, self.undo, self.sha256s, self.rest) = (revision, undo, sha256s, rest)
    }
}

/// Who said something of pictures, and when.
public struct MarkAuthor: Sendable, Hashable {
    public var by: String
    /// Nanoseconds since 1970.
    public var at: Int64
    public init(by: String, at: Int64) { (self.by, self.at) = (by, at) }
}

/// An order that can be taken back.
public struct PastMarkOrder: Sendable, Hashable {
    public var token: String, by: String
    /// Nanoseconds since 1970.
    public var at: Int64
    /// How many it marked.
    public var pictures: Int
    public init(token: String, by: String, at: Int64, pictures: Int) {
        (self.token, self.by, self.at, self.pictures) = (token, by, at, pictures)
    }
}
