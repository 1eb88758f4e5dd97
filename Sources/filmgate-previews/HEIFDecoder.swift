import CHeif

/// A HEIF file in memory, read by libheif.
struct HEIFDecoder: ~Copyable {
    private let context: OpaquePointer

    private static let mostPixels = 64_000_000

    enum Failure: Error { case undecodable, tooLarge }

    /// Whether these bytes are for it.
    static func takes(_ bytes: [UInt8]) -> Bool { bytes.count > 12 && bytes[4..<8].elementsEqual("ftyp".utf8) }

    init(_ bytes: [UInt8]) throws(Failure) {
        guard let context = heif_context_alloc() else { throw .tooLarge }
        // This process may have no threads beside its own.
        heif_context_set_max_decoding_threads(context, 0)
        let failure = heif_context_read_from_memory(context, bytes, bytes.count, nil)
        guard failure.code == heif_error_Ok else {
            heif_context_free(context)
            throw .undecodable
        }
        self.context = context
    }

    deinit { heif_context_free(context) }

    /// Upright, with its colour profile; its thumbnail, where that is not smaller than `longEdge`.
    borrowing func decode(_ longEdge: Int) throws(Failure) -> (picture: Raster, profile: [UInt8]) {
        var primary: OpaquePointer?
        guard heif_context_get_primary_image_handle(context, &primary).code == heif_error_Ok, let primary else {
            throw .undecodable
        }
        defer { heif_image_handle_release(primary) }
        let profile = Self.profile(of: primary)
        if let small = Self.thumbnail(of: primary, longEdge) {
            defer { heif_image_handle_release(small) }
            // A damaged thumbnail does not cost the picture.
            if let picture = try? Self.pixels(of: small) { return (picture, profile) }
        }
        return (try Self.pixels(of: primary), profile)
    }

    private static func thumbnail(of handle: OpaquePointer, _ longEdge: Int) -> OpaquePointer? {
        var names = [heif_item_id](repeating: 0, count: 4), small: OpaquePointer?
        let count = heif_image_handle_get_list_of_thumbnail_IDs(handle, &names, Int32(names.count))
        for name in names.prefix(Int(max(0, count))) {
            guard heif_image_handle_get_thumbnail(handle, name, &small).code == heif_error_Ok, let found = small else {
                continue
            }
            if max(heif_image_handle_get_width(found), heif_image_handle_get_height(found)) >= Int32(longEdge) {
                return found
            }
            heif_image_handle_release(found)
        }
        return nil
    }

    private static func pixels(of handle: OpaquePointer) throws(Failure) -> Raster {
        let claimed = Int(heif_image_handle_get_width(handle)) * Int(heif_image_handle_get_height(handle))
        guard claimed > 0 else { throw .undecodable }
        guard claimed <= mostPixels else { throw .tooLarge }
        var image: OpaquePointer?
        guard
            heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, nil).code
                == heif_error_Ok, let image
        else { throw .undecodable }
        defer { heif_image_release(image) }
        var stride: Int32 = 0
        let width = Int(heif_image_get_width(image, heif_channel_interleaved))
        let height = Int(heif_image_get_height(image, heif_channel_interleaved))
        guard width > 0, height > 0, width * height <= mostPixels,
            let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride),
            Int(stride) >= width * 3
        else { throw .undecodable }
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { out, count in
            for row in 0..<height {
                for index in 0..<(width * 3) { out[row * width * 3 + index] = plane[row * Int(stride) + index] }
            }
            count = width * height * 3
        }
        return Raster(width: width, height: height, pixels: pixels)
    }

    /// Empty where there is none, or one that is not for red, green and blue.
    private static func profile(of handle: OpaquePointer) -> [UInt8] {
        let size = heif_image_handle_get_raw_color_profile_size(handle)
        guard size > 132, size <= JPEGHead.mostProfile else { return [] }
        var profile = [UInt8](repeating: 0, count: size)
        guard heif_image_handle_get_raw_color_profile(handle, &profile).code == heif_error_Ok else { return [] }
        return profile[16..<20].elementsEqual("RGB ".utf8) ? profile : []
    }
}
