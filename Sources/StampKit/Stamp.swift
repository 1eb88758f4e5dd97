public import FilmgateCore

/// What is written into a picture's metadata, ready to be written: every variable filled in.
///
/// Nil or empty = this is not stamped.
public struct Stamp: Sendable, Hashable {
    public var creators: [String] = []
    public var copyright: String?, event: String?, caption: String?
    public var keywords: [String] = []
    /// When it was taken, where the camera's own clock is known to have been wrong.
    public var captured: CivilTime?
    /// What people said of it, which counts whatever the file says.
    public var mark = PictureMark()
    /// What becomes of fields that say something already; keywords are always added to those that are there.
    public var replaces = false

    public init() {}

    public var isEmpty: Bool {
        creators.isEmpty && copyright == nil && event == nil && caption == nil && keywords.isEmpty && captured == nil
            && mark.isEmpty
    }
}

/// Why a file was left as it is.
public struct StampFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
