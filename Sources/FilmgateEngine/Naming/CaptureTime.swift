import FilmgateCore
import Glibc

/// The capture time that names and selection use: the camera's, corrected by the profile; the file's own time where
/// there is none.
enum CaptureTime {
    /// Corrected capture time; nil where the file does not say.
    ///
    /// A movie header counts UTC by its standard: such a time (flagged so when it was read) is shown in the profile's
    /// zone, else in the station's, unless the make is known to write its clock's time there. A camera's civil time
    /// stays as written; the profile's zone only adds the offset that it lacked.
    static func corrected(_ asset: Asset?, profile: ResolvedProfile) -> CivilTime? {
        guard let asset, let captured = asset.media?.captured else { return nil }
        var time = captured
        if asset.flags.contains(AssetFlag.zoneAssumed), profile.movieClock == .local {
            time.offsetMinutes = profile.zone?.offsetMinutes(of: captured).minutes
        } else if asset.flags.contains(AssetFlag.zoneAssumed), let instant = captured.unixSeconds {
            let civil = profile.zone.map { $0.civilTime(at: instant, nanosecond: captured.nanosecond) } ?? here(instant)
            time = civil ?? captured
        } else if captured.offsetMinutes == nil, let zone = profile.zone {
            time.offsetMinutes = zone.offsetMinutes(of: captured).minutes
        }
        return time.adding(seconds: profile.clockOffset?.seconds ?? 0)
    }

    /// The file's modification time as a wall clock here would have shown it.
    static func ofFile(_ modified: Int64) -> CivilTime? {
        here(modified >= 0 ? modified / 1_000_000_000 : (modified - 999_999_999) / 1_000_000_000)
    }

    /// An instant in the station's own zone (TZ, /etc/localtime).
    static func here(_ seconds: Int64) -> CivilTime? {
        var time = time_t(seconds), local = tm()
        guard localtime_r(&time, &local) != nil else { return CivilTime(unixSeconds: seconds) }
        return CivilTime(unixSeconds: seconds, offsetMinutes: local.tm_gmtoff / 60)
    }
}
