import FilmgateCore
import Glibc

extension Shot {
    /// The frames that a sidecar or memo goes with: the one that it is named after, else all of the shot, the primary first.
    func leaders(of follower: Asset) -> [Asset] {
        let frames = ([remembered].compactMap { $0 } + assets).filter { !$0.kind.follows }
        guard let ext = follower.shot.sidecarOf?.lowercased() else { return frames }
        let named = frames.filter { FileName($0.origin.name).ext.lowercased() == ext }
        return named.isEmpty ? frames : named
    }

    /// One rating for the shot: the XMP sidecar's, else the first that a frame has.
    ///
    /// 0 stands for "not rated". Files that were taken before count in their place: the verdict is the same whichever came first.
    var rating: Int? {
        let all = (assets + known).sorted { ($0.kind.rank, $0.origin.path) < ($1.kind.rank, $1.origin.path) }
        let sidecars = all.filter { $0.kind == .sidecar }, frames = all.filter { $0.kind != .sidecar }
        if let given = sidecars.lazy.compactMap({ $0.media?.rating }).first { return given == 0 ? nil : given }
        return frames.lazy.compactMap { $0.media?.rating }.first { $0 != 0 } ?? remembered?.media?.rating.flatMap { $0 == 0 ? nil : $0 }
    }

    /// Some frame of the shot was protected in the camera.
    var isProtected: Bool { ([remembered].compactMap { $0 } + assets).contains { $0.flags.contains(SelectStage.protectedFlag) } }
}

extension SelectStage {
    /// The flag that sources and makes' modules set on a frame that was protected in the camera.
    static let protectedFlag = "protected"
}

extension Asset {
    /// The civil time that `since` and `until` look at: capture (a movie header's UTC as a clock here shows it), else the file's own time.
    var selectionTime: CivilTime? {
        guard let captured = media?.captured else { return Self.here(origin.modified / 1_000_000_000) }
        guard flags.contains(AssetFlag.zoneAssumed), let instant = captured.unixSeconds else { return captured }
        return Self.here(instant)
    }

    private static func here(_ seconds: Int64) -> CivilTime? {
        var time = time_t(seconds), local = tm()
        guard localtime_r(&time, &local) != nil else { return CivilTime(unixSeconds: seconds) }
        return CivilTime(unixSeconds: seconds, offsetMinutes: local.tm_gmtoff / 60)
    }
}
