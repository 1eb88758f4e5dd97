import FilmgateCore
import Glibc

/// The capture time that names and selection use: the camera's, corrected by the profile; the file's own time where there is none.
enum CaptureTime {
    /// Corrected capture time; nil where the file does not say.
    static func corrected(_ media: MediaFacts?, profile: ResolvedProfile) -> CivilTime? {
        media?.captured.flatMap { $0.adding(seconds: profile.clockOffset?.seconds ?? 0) }
    }

    /// The file's modification time as a wall clock here would have shown it.
    static func ofFile(_ modified: Int64) -> CivilTime? {
        let seconds = modified >= 0 ? modified / 1_000_000_000 : (modified - 999_999_999) / 1_000_000_000
        var time = time_t(seconds), local = tm()
        guard localtime_r(&time, &local) != nil else { return CivilTime(unixSeconds: seconds) }
        return CivilTime(unixSeconds: seconds, offsetMinutes: local.tm_gmtoff / 60)
    }
}
