/// One file that a source offers, as a small value; bytes never ride in it.
///
/// Facts are added by the stages that it passes.
public struct Asset: Sendable, Identifiable {
    /// The origin's, made once: it is what tables are looked up by, many times for each file.
    public let id: AssetID
    public let origin: Origin
    public var kind: MediaKind
    public var shot: ShotPlace
    /// Fact `file`: where its bytes can be read now.
    public var file: LocalFile?
    /// Fact `digest`.
    public var digests: Digests?
    /// Fact `media`; nil until the `exif` stage ran, empty where the file says nothing.
    public var media: MediaFacts? {
        // Lent, not copied: mostly one part of it is asked for.
        _read { yield mediaBox.facts }
        set { mediaBox = newValue == nil ? .none : MediaBox(newValue) }
    }
    /// Half of what an asset is, and hardly ever changed: every function that hands an asset on would copy it.
    private var mediaBox = MediaBox.none
    private final class MediaBox: Sendable {
        let facts: MediaFacts?
        init(_ facts: MediaFacts?) { self.facts = facts }
        static let none = MediaBox(nil)
    }
    /// Fact `unique`: where these bytes have been delivered or promised before; nil until the `dedupe` stage looked,
    /// empty when they are new.
    public var earlier: [DeliveryRow]?
    /// The earliest file with these bytes, as a person would name it; nil when this is the first.
    public var twin: String?
    /// Notes on the file itself: `truncated`, `exif-damaged`, `zone-assumed` …; a flagged file is still delivered.
    public var flags: Set<String> = []
    /// Fact `receipt`, by target name.
    public var receipts: [String: Receipt] = [:]
    /// Other bytes of it, made by a stage for certain targets, by target name; every other target gets the original.
    public var renditions: [String: Rendition] = [:]
    /// For a sidecar: the SHA-256 of another picture of its shot that it was delivered beside before.
    public var beside: String?
    /// Files made by a stage to lie beside it.
    public var companions: [Companion] = []

    public init(origin: Origin, kind: MediaKind, shot: ShotPlace) {
        (id, self.origin, self.kind, self.shot) = (origin.id, origin, kind, shot)
    }
}

/// Flags that more than one part of the house knows.
public enum AssetFlag {
    /// Protected in the camera, by its lock or key button.
    public static let protected = "protected"

    /// Made by a stage, so no file of the source: not counted among what was seen.
    public static let made = "made"

    /// The capture time is UTC by the format's rule (a movie's header) and nothing says where it was taken.
    public static let zoneAssumed = "zone-assumed"

    /// A part of the file is missing, by its own structure: it was cut short, or never written to its end.
    public static let truncated = "truncated"

    /// It was taken for another event than the run's before, and stays with that.
    public static let otherEvent = "other-event"
}

/// An asset's place in its shot.
public struct ShotPlace: Sendable, Hashable, Codable {
    /// Names the shot within its source: folder and case-folded stem, or what the make's rule says.
    public var key: String
    /// The stem as the primary spells it.
    public var stem: String
    /// For a file of a clip tree (M4ROOT, AVCHD, XDROOT, CONTENTS): its path below the tree's root, kept at the target.
    ///
    /// Else nil.
    public var innerPath: String?
    /// For a sidecar named after a whole file (`IMG_1.CR3.xmp`): that file's extension (`CR3`).
    ///
    /// Else nil.
    public var sidecarOf: String?

    public init(key: String, stem: String, innerPath: String? = nil, sidecarOf: String? = nil) {
        (self.key, self.stem, self.innerPath, self.sidecarOf) = (key, stem, innerPath, sidecarOf)
    }
}

/// Bytes on this machine's disks.
public struct LocalFile: Sendable, Hashable {
    public enum Ownership: Sendable, Hashable {
        /// The photographer's: read only.
        case source
        /// Filmgate's own staging: may be renamed into place or removed.
        case staged
        /// A folder target's delivered copy: read only, digest checked at sending.
        case delivered
    }
    public var path: String, size: UInt64, ownership: Ownership
    /// False: whoever copied it saw that nowhere 64 KiB in a row are zeros.
    public var mayHoldZeros = true
    public init(path: String, size: UInt64, ownership: Ownership) {
        (self.path, self.size, self.ownership) = (path, size, ownership)
    }
}
