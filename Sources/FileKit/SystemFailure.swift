public import FilmgateCore
import Glibc

/// The `errno` behind an `IngestError`; its `cause`, for those who act on one value (EXDEV: copy instead of renaming).
public struct SystemFailure: Error, Hashable {
    public let code: Int32
    public init(_ code: Int32) { self.code = code }
    public var text: String { String(cString: strerror(code)) }

    /// It is the disk that fails or is gone, or that its system has given up writing to.
    public var isOfTheDisk: Bool {
        switch code {
        case EIO, ENXIO, ENODEV, ENOMEDIUM, EREMOTEIO, ESHUTDOWN, ESTALE, ENOTCONN, EROFS, EUCLEAN: true
        default: false
        }
    }
}

extension IngestError {
    /// A failure while reading: the source's or a delivered copy's side.
    public static func reading(_ path: String, _ code: Int32) -> IngestError {
        let failure = SystemFailure(code)
        let message = "Cannot read \(shown(path)): \(failure.text)."
        switch code {
        case ENOENT, ENOTDIR: return IngestError(.notFound, "\(shown(path)) is not there.", cause: failure)
        case ELOOP: return IngestError(.unreadable, "\(shown(path)) is a link, not a file.", cause: failure)
        case ENODEV, ENXIO, ENOMEDIUM, ESHUTDOWN, ESTALE, ENOTCONN:
            return IngestError(
                .deviceGone, message, advice: "Put the card or disk back in; nothing that was taken is lost.",
                cause: failure)
        case EACCES, EPERM:
            let advice = "Give yourself permission to read it, or mount the card with `uid=` set to your user."
            return IngestError(.unreadable, message, advice: advice, cause: failure)
        case EIO:
            let advice =
                "The card or disk may be failing: clean the contacts, try another reader or cable, and do not format the card."
            return IngestError(.unreadable, message, advice: advice, cause: failure)
        case EMFILE, ENFILE, ENOMEM: return IngestError(.unavailable, message, cause: failure)
        default: return IngestError(.unreadable, message, cause: failure)
        }
    }

    /// A failure while writing: the target's or the staging area's side.
    ///
    /// `size` = the bytes that were to be written, where known.
    static func writing(_ path: String, _ code: Int32, size: UInt64 = 0) -> IngestError {
        let failure = SystemFailure(code)
        let message = "Cannot write \(shown(path)): \(failure.text)."
        switch code {
        case EFBIG where size > UInt64(UInt32.max):
            let advice = "FAT holds no file over 4 GiB: format that disk as exFAT, or deliver clips elsewhere."
            return IngestError(.rejected, message, advice: advice, cause: failure)
        case ENOSPC, EDQUOT, EFBIG:
            return IngestError(
                .storageFull, message, advice: "Free some room there or choose another disk.", cause: failure)
        case EEXIST: return IngestError(.nameTaken, "\(shown(path)) exists already.", cause: failure)
        case ENAMETOOLONG, EINVAL, EILSEQ, ENOTDIR, ELOOP, EISDIR:
            return IngestError(.rejected, message, cause: failure)
        case EACCES, EPERM, EROFS:
            return IngestError(
                .unavailable, message, advice: "Make the folder writable for you (owner, mode, mount options).",
                cause: failure)
        default:
            return IngestError(
                .unavailable, message, advice: "Check that the disk is connected and mounted.", cause: failure)
        }
    }
}
