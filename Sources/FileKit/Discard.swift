import Glibc

extension StagingArea {
    /// Removes a staged file that is not needed any more; nothing happens when it is gone already.
    ///
    /// Only ever for Filmgate's own files.
    public static func discard(_ path: String) { _ = withCPath(path) { unlink($0) } }
}
