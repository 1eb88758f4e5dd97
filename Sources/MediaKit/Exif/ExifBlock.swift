import CExif

/// libexif's reading of one self-contained Exif block (JPEG APP1, an Exif item or box, a CMT box): every tag below
/// `Tag` comes from here for JPEG, HEIF, AVIF, CR3, RAF, PNG, WebP, JXL and the blocks inside recordings.
///
/// The block is copied first, and its maker note is taken out of the copy: libexif would otherwise interpret it while
/// loading.
final class ExifBlock: TagSource {
    /// What libexif loads: the identifier and at most 65,528 bytes of TIFF behind it.
    static let limit = 0xFFFE - 6
    /// Some pointer in the block leads nowhere or in a circle.
    let damaged: Bool
    private let data: UnsafeMutablePointer<ExifData>
    private let order: ByteOrder
    private let only: TagFolder?

    /// Nil when libexif finds no directory in `tiff`, which begins with `II` or `MM`.
    /// - Parameter only: the folder that the block's first directory stands for, where a format keeps each in a block
    ///   of its own.
    init?(_ tiff: Bytes, only: TagFolder? = nil) {
        guard tiff.count <= Self.limit, let order = ByteOrder(mark: tiff) else { return nil }
        var sanitised = SanitisedBlock(tiff, order)
        sanitised.clean()
        guard let data = exif_data_new() else { return nil }
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        exif_data_set_option(data, EXIF_DATA_OPTION_DONT_CHANGE_MAKER_NOTE)
        sanitised.bytes.withUnsafeBufferPointer { exif_data_load_data(data, $0.baseAddress, UInt32($0.count)) }
        (self.data, self.order, self.only, damaged) = (data, order, only, sanitised.damaged)
        if isEmpty { return nil }
    }

    deinit { exif_data_unref(data) }

    private var isEmpty: Bool {
        [EXIF_IFD_0, EXIF_IFD_EXIF, EXIF_IFD_GPS].allSatisfy { (content($0)?.pointee.count ?? 0) == 0 }
    }

    func value(_ tag: UInt16, in folder: TagFolder) -> TagValue? {
        guard let ifd = ifd(for: folder), let content = content(ifd),
            let entry = exif_content_get_entry(content, ExifTag(rawValue: UInt32(tag)))?.pointee
        else { return nil }
        let bytes = entry.data.map { [UInt8](UnsafeBufferPointer(start: $0, count: Int(entry.size))) } ?? []
        return TagValue(
            format: UInt16(truncatingIfNeeded: entry.format.rawValue), count: Int(entry.components),
            bytes: Bytes(bytes), order: order)
    }

    private func content(_ ifd: ExifIfd) -> UnsafeMutablePointer<ExifContent>? {
        withUnsafeBytes(of: data.pointee.ifd) {
            $0.bindMemory(to: UnsafeMutablePointer<ExifContent>?.self)[Int(ifd.rawValue)]
        }
    }

    private func ifd(for folder: TagFolder) -> ExifIfd? {
        if let only { return only == folder ? EXIF_IFD_0 : nil }
        switch folder {
        case .image: return EXIF_IFD_0
        case .exif: return EXIF_IFD_EXIF
        case .gps: return EXIF_IFD_GPS
        case .thumbnail: return EXIF_IFD_1
        }
    }
}
