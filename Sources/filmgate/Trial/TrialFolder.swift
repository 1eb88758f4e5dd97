import FilmgateCore
import Glibc

/// Where what is only tried out lies: one folder below TMPDIR, for whoever makes it to remove.
enum TrialFolder {
    /// A new one, absolute, that nobody else may look into; `use` says what it is for.
    static func make(for use: String) throws(IngestError) -> String {
        let place = UserPath.own.absolute(UserPath.environment("TMPDIR") ?? "/tmp")
        var template = Array("\(place)/filmgate-\(use)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw IngestError(
                .unavailable,
                "No folder can be made below \(place), for what is tried out: "
                    + "\(String(cString: strerror(errno))).",
                advice: "Set TMPDIR to a folder that you may write to.")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
