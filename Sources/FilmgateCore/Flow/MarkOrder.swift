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
    public var order: Order
    /// Who says it, as people are told.
    public var by: String

    public init(_ order: Order, by: String) { (self.order, self.by) = (order, by) }
}

/// What became of an order.
public struct MarkOutcome: Sendable, Hashable {
    /// Rises with each order.
    public var revision: Int64
    /// Takes this order back.
    public var undo: String
    /// The pictures whose marks it set: all of each shot.
    public var sha256s: [String]

    public init(revision: Int64, undo: String, sha256s: [String]) {
        (self.revision, self.undo, self.sha256s) = (revision, undo, sha256s)
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
