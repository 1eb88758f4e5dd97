import FileKit
import FilmgateCore
import NIOCore

/// One upload on its way to disk, on a thread queue of its own: hashed while it is written, in blocks.
actor GalleryUploadWriter {
    private let executor = BlockingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: GalleryStore
    private var part: String?, writer: PartWriter?

    init(_ store: GalleryStore) { self.store = store }

    /// The upload that is not finished leaves nothing behind.
    deinit { if let part { FileSystem.remove(part) } }

    func write(_ bytes: [UInt8]) throws(IngestError) {
        if writer == nil {
            let part = store.newPart()
            (self.part, writer) = (part, try PartWriter(part))
        }
        try writer?.write(bytes.span.bytes)
    }

    /// Makes it an asset.
    ///
    /// `wanted`: the digest that the sender promised, where it did.
    func finish(name: String, wanted: String?) throws(IngestError) -> GalleryAsset {
        try write([])
        guard let part, let writer else { throw IngestError(.unexpected, "Nothing was written.") }
        let (size, digests) = try writer.finish(modified: nil)
        if let wanted, wanted != digests.sha256 {
            throw IngestError(.corruptData, "The bytes that arrived have another digest.")
        }
        let asset = try store.admit(part: part, name: name, size: size, sha256: digests.sha256)
        self.part = nil
        return asset
    }
}
