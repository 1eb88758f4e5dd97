package import FilmgateCore

/// What a run has listed and not read yet.
package struct UpcomingList: Sendable, Equatable {
    package struct Frame: Sendable, Equatable {
        package var asset: AssetID, name: String, kind: MediaKind, size: UInt64
        /// What a person would call the camera.
        package var source: String
        /// It is being read, or about to be.
        package var isBegun = false

        package init(asset: AssetID, name: String, kind: MediaKind, size: UInt64, source: String) {
            (self.asset, self.name, self.kind, self.size) = (asset, name, kind, size)
            self.source = source
        }
    }
    /// The next few, in the order in which they are read.
    package var frames: [Frame]
    /// How many there are in all.
    package var total: Int

    package init(frames: [Frame] = [], total: Int = 0) { (self.frames, self.total) = (frames, total) }
}

/// What comes of asking for a camera's own picture of a frame.
package enum UpcomingPicture: Sendable, Equatable {
    /// Bytes from elsewhere, which nobody has looked into.
    case bytes([UInt8])
    case missing
    /// Not just now: files come first.
    case later
}
