import Foundation

/// When a choice was made: the modification time of the file that holds it.
enum ChoiceTime {
    /// Milliseconds since 1970; nil where there is no file, or where its content is nobody's choice.
    static func of(_ path: String) -> Int64? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        let time = Int64(facts.st_mtim.tv_sec) * 1000 + Int64(facts.st_mtim.tv_nsec) / 1_000_000
        return time > 0 ? time : nil
    }

    static func set(_ path: String, _ milliseconds: Int64) {
        let time = timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000 * 1_000_000))
        _ = utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
    }
}
