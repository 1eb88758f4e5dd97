/// An asset's bytes as one target gets them: the original with something written into it.
///
/// The asset's identity and content stay the original's; the receipt holds the digest of what was delivered.
public struct Rendition: Sendable, Hashable {
    /// A staged file that belongs to this rendition alone; in a dry run it names no file.
    public var file: LocalFile
    public var digests: Digests

    public init(file: LocalFile, digests: Digests) { (self.file, self.digests) = (file, digests) }
}

/// A file made to lie beside an asset: a sidecar that the source did not bring.
public struct Companion: Sendable, Hashable {
    /// As it would be called at the source.
    public var name: String
    public var kind: MediaKind
    /// Extension of the file that it belongs to, where its name is that file's whole name and one more.
    public var sidecarOf: String?
    public var rendition: Rendition
    /// Names of the targets that get it, where they get the asset.
    public var targets: [String]

    public init(name: String, kind: MediaKind, sidecarOf: String? = nil, rendition: Rendition, targets: [String]) {
        (self.name, self.kind, self.sidecarOf) = (name, kind, sidecarOf)
        (self.rendition, self.targets) = (rendition, targets)
    }
}
