import FilmgateCore
import Glibc

/// A folder for the camera's own small pictures of the files that are about to be read: something to look at while a
/// long clip comes.
struct ThumbnailFolder: Sendable {
    private let path: String

    /// Makes the folder.
    ///
    /// `misconfigured` where that cannot be.
    init(_ path: String, home: String? = nil) throws(IngestError) {
        self.path = path.hasPrefix("~/") ? (home ?? Self.home) + path.dropFirst() : path
        guard Self.make(self.path) else {
            throw IngestError(
                .misconfigured, "\(self.path) cannot be made: \(reason(errno)).",
                advice: "Choose another folder for `thumbnails`.")
        }
    }

    private static var home: String { getenv("HOME").map { String(cString: $0) } ?? "" }

    /// Keeps a picture as `FOLDER/CAMERA/PATH.jpg`, in place of one that was there before.
    ///
    /// What is no JPEG is dropped, and what cannot be written, too: the file itself is what counts.
    func keep(_ picture: [UInt8], of path: String, from camera: String) {
        guard picture.starts(with: [0xFF, 0xD8]) else { return }
        let parts = [SafeName.component(camera)] + path.split(separator: "/").map { SafeName.component(String($0)) }
        let folder = ([self.path] + parts.dropLast()).joined(separator: "/"), name = (parts.last ?? "") + ".jpg"
        guard Self.make(folder) else { return }
        let temporary = folder + "/." + name + ".part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { return }
        let written = picture.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        if written != picture.count || rename(temporary, folder + "/" + name) != 0 { unlink(temporary) }
    }

    /// Makes a folder and those above it; true when it is there.
    private static func make(_ path: String) -> Bool {
        var whole = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            whole += "/" + part
            if mkdir(whole, 0o755) != 0, errno != EEXIST, errno != EROFS, errno != EACCES { return false }
        }
        var status = stat()
        return stat(whole.isEmpty ? "/" : whole, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
