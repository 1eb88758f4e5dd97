import FilmgateCore
import Hummingbird

/// One stored file, as the gallery tells of it.
struct GalleryAsset: Sendable, Hashable, ResponseEncodable {
    /// The first 20 digits of its SHA-256.
    var id: String
    var sha256: String
    var size: UInt64
    /// The name that it came with first.
    var name: String
    var url: String
    /// True in the answer to an upload whose bytes were there before.
    var duplicate = false

    init(sha256: String, size: UInt64, name: String) {
        (id, self.sha256, self.size, self.name) = (String(sha256.prefix(20)), sha256, size, name)
        url = "/api/assets/" + id
    }
}

/// One page of the list.
struct GalleryPage: ResponseEncodable {
    var assets: [GalleryAsset], total: Int
    /// Where the next page begins; nil at the end.
    var next: Int?
}

/// An answer that is no asset.
struct GalleryNotice: ResponseEncodable {
    var message: String
}
