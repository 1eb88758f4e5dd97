public import FilmgateCore

/// Which cameras a profile is for.
///
/// Every pattern that is given must match; none given: every camera.
public struct ProfileMatch: Sendable, Hashable, ModuleConfig {
    public var make: Glob?, model: Glob?, serial: Glob?, owner: Glob?

    public init() {}

    public static let schema: Schema<Self> = [
        .field("make", \.make, "Maker as the camera writes it; `*`, `?` and `[a-z]` as in file names, case ignored."),
        .field("model", \.model, "Model, likewise; with its make before it or without, whichever the camera writes."),
        .field("serial", \.serial, "Serial number of the body, likewise."),
        .field("owner", \.owner, "Owner's name as set in the camera, likewise."),
    ]

    /// How specific a rule is, by the most specific key that it has.
    public enum Rank: Int, Sendable, Hashable, Comparable, CaseIterable {
        case everything, make, model, owner, serial
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
        /// As `profile show` prints it.
        public var word: String { self == .everything ? "every camera" : "\(self)" }
    }

    public var rank: Rank {
        serial != nil ? .serial : owner != nil ? .owner : model != nil ? .model : make != nil ? .make : .everything
    }

    public func matches(_ body: CameraBody) -> Bool {
        fits(make, body.make) && fitsModel(body) && fits(serial, body.serial) && fits(owner, body.owner)
    }

    /// With its make before it or without: the pattern need not know which of both the camera writes.
    private func fitsModel(_ body: CameraBody) -> Bool {
        guard let model else { return true }
        return body.model.map { ModelSpellings.all(make: body.make, model: $0).contains(where: model.matches) } ?? false
    }

    /// A pattern never matches what the camera does not say.
    private func fits(_ pattern: Glob?, _ value: String?) -> Bool {
        guard let pattern else { return true }
        return value.map(pattern.matches) ?? false
    }
}

/// What an asset says about the camera that made it; empty text counts as nothing said.
public struct CameraBody: Sendable, Hashable {
    public var make: String?, model: String?, serial: String?, owner: String?

    public init(make: String? = nil, model: String? = nil, serial: String? = nil, owner: String? = nil) {
        (self.make, self.model, self.serial, self.owner) = (
            Self.said(make), Self.said(model), Self.said(serial), Self.said(owner)
        )
    }

    private static func said(_ text: String?) -> String? {
        guard let text, text.unicodeScalars.contains(where: { !Glob.isPadding($0) }) else { return nil }
        return text
    }
}
