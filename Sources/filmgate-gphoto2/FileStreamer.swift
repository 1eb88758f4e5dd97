import CGPhoto2
import GPhoto2Wire

/// Passes a file's bytes on as libgphoto2 gets them; nothing is kept in memory or on disk.
final class FileStreamer {
    private static let piece = 512 << 10

    private let channel: FrameChannel
    /// Bytes that the program has already: libgphoto2 reads a file from its beginning.
    private var skip: UInt64
    /// The program no longer takes anything.
    private(set) var isShut = false

    init(_ channel: FrameChannel, skipping skip: UInt64) { (self.channel, self.skip) = (channel, skip) }

    func pass(
        _ path: GPhotoPath, _ type: CameraFileType, of camera: OpenCamera, _ context: OpaquePointer?
    ) -> Int32 {
        // libgphoto2 keeps the address: it must outlive the file.
        let handler = UnsafeMutablePointer<CameraFileHandler>.allocate(capacity: 1)
        defer { handler.deallocate() }
        handler.pointee = CameraFileHandler(
            size: { _, size in
                size?.pointee = 0
                return GP_OK
            }, read: { _, _, _ in GP_ERROR_NOT_SUPPORTED },
            write: { data, bytes, count in
                guard let data, let count else { return GP_ERROR_BAD_PARAMETERS }
                return Unmanaged<FileStreamer>.fromOpaque(data).takeUnretainedValue().take(bytes, count.pointee)
            })
        return withExtendedLifetime(self) {
            var file: OpaquePointer?
            let code = gp_file_new_from_handler(&file, handler, Unmanaged.passUnretained(self).toOpaque())
            guard code >= 0, let file else { return code }
            defer { gp_file_unref(file) }
            return gp_camera_file_get(
                camera.raw, Text.c(path.folder), Text.c(path.name), type, file, context)
        }
    }

    private func take(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: UInt64) -> Int32 {
        guard let bytes else { return count == 0 ? GP_OK : GP_ERROR_BAD_PARAMETERS }
        let skipped = min(skip, count)
        skip -= skipped
        var offset = Int(skipped)
        while offset < Int(count) {
            let end = min(Int(count), offset + Self.piece)
            let part = Array(UnsafeBufferPointer(start: bytes + offset, count: end - offset))
            do throws(WireError) { try channel.send(GPhotoReply.data(part).frame) } catch {
                isShut = true
                return GP_ERROR_CANCEL
            }
            offset = end
        }
        return GP_OK
    }
}
