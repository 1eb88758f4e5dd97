/// What rules that select ask of a whole shot: all of its files share one rating, and what follows a frame shares its
/// fate.
extension Shot {
    /// The frames that a sidecar or memo goes with: the one that it is named after, else all of the shot, the primary
    /// first.
    public func leaders(of follower: Asset) -> [Asset] {
        let frames = ([remembered].compactMap { $0 } + assets).filter { !$0.kind.follows }
        guard let ext = follower.shot.sidecarOf?.lowercased() else { return frames }
        let named = frames.filter { FileName($0.origin.name).ext.lowercased() == ext }
        return named.isEmpty ? frames : named
    }

    /// One rating for the shot: a person's, else that of its files; -1 for a rejected one, nil for one that is not
    /// rated.
    public var rating: Int? { mark.rating(camera: fileRating) }

    public var pick: PictureMark.Pick { mark.pick(camera: fileRating) }

    /// What its files say: the XMP sidecar, else the first frame that has a rating.
    ///
    /// 0 stands for "not rated". Files that were taken before count in their place: the verdict is the same whichever
    /// came first.
    public var fileRating: Int? {
        let all = (assets + known).map { RatedFile(kind: $0.kind, path: $0.origin.path, rating: $0.media?.rating) }
        return RatedFile.rating(of: all)
            ?? remembered?.media?.rating.flatMap { $0 == 0 || RatedFile.isCleared(all) ? nil : $0 }
    }

    /// Some frame of the shot was protected in the camera.
    public var isProtected: Bool {
        ([remembered].compactMap { $0 } + assets + known).contains {
            !$0.kind.follows && $0.flags.contains(AssetFlag.protected)
        }
    }
}

/// A file of a shot, as far as the shot's rating depends on it.
public struct RatedFile: Sendable, Hashable {
    public var kind: MediaKind, path: String
    /// As the file has it: 0 = cleared, nil = it says nothing.
    public var rating: Int?

    public init(kind: MediaKind, path: String, rating: Int?) {
        (self.kind, self.path, self.rating) = (kind, path, rating)
    }

    /// The shot's rating by its files, in whatever order they come; nil for a shot that is not rated.
    public static func rating(of files: [RatedFile]) -> Int? {
        let ordered = files.sorted { ($0.kind.rank, $0.path) < ($1.kind.rank, $1.path) }
        if let given = ordered.lazy.filter({ $0.kind == .sidecar }).compactMap(\.rating).first {
            return given == 0 ? nil : given
        }
        return ordered.lazy.filter { $0.kind != .sidecar }.compactMap(\.rating).first { $0 != 0 }
    }

    /// A sidecar speaks for the shot: no frame is asked any more.
    static func isCleared(_ files: [RatedFile]) -> Bool { files.contains { $0.kind == .sidecar && $0.rating != nil } }
}
