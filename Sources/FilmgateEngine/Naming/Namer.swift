import FilmgateCore

/// Makes the path of an asset below a target's root: templates, renaming, sidecars after their primary, clip trees kept
/// whole.
struct Namer: Sendable {
    let layout: Template
    let rename: Template?

    /// True when any part of the name uses `{counter}`.
    var usesCounter: Bool { layout.uses.contains("counter") || rename?.uses.contains("counter") == true }

    /// The path of `asset`; `suffix` 1 = none, 2 = `-2` and so on.
    ///
    /// `lead` are the values of the shot's primary, nil when that is the asset itself. A suffix survives where the name
    /// has to be cut to 255 bytes.
    func path(of asset: Asset, values: TemplateValues, lead: TemplateValues?, suffix: Int) -> String {
        path(of: asset, values: values, lead: lead, ending: suffix > 1 ? "-\(suffix)" : "")
    }

    /// The same path with a place for the suffix.
    func pattern(of asset: Asset, values: TemplateValues, lead: TemplateValues?) -> PathPattern {
        PathPattern(path(of: asset, values: values, lead: lead, ending: NameSlot.suffix))
    }

    private func path(of asset: Asset, values: TemplateValues, lead: TemplateValues?, ending: String) -> String {
        if let inner = asset.shot.innerPath {
            return treePath(NameSlot.removed(from: inner), values: lead ?? values, ending: ending)
        }
        let follows = asset.kind.follows
        let renaming = follows ? lead ?? values : values
        func rendered(cut: Int) -> (path: String, whole: Int) {
            let named = named(values, by: renaming, sidecarOf: asset.shot.sidecarOf, ending: ending, cut: cut)
            var own = follows ? Self.following(values, lead) : values
            own.text.merge(named.text) { $1 }
            var path = layout.rendered(with: own)
            if let lead, hasFolders {
                let home = layout.rendered(with: folderValues(asset, own, lead, ending: ending))
                path = "\(Self.folder(home))\(Self.name(path))"
            }
            let of = asset.shot.sidecarOf
            return (!ending.isEmpty || of != nil) && hidesNames
                ? (Self.made(path, ending, of, cut: cut), 0) : (path, named.whole)
        }
        var (path, whole) = rendered(cut: 0)
        // Hardly any name is too long, and this is asked for every file.
        if whole <= 255, Self.fits(path) { return path }
        if !ending.isEmpty {
            let excess = max(whole, Self.name(path).utf8.count) - 255
            if excess > 0 { path = rendered(cut: excess).path }
        }
        return fitted(path)
    }

    /// True when paths hold nothing of the file's own name, such as `{captured:HHmmss}.{ext}`: then the suffix, and
    /// what a sidecar belongs to, go to what they do hold.
    private var hidesNames: Bool { layout.uses.isDisjoint(with: ["name", "stem"]) }

    private static func made(_ path: String, _ ending: String, _ sidecarOf: String?, cut: Int) -> String {
        let name = FileName(String(Self.name(path)))
        let stem = SafeName.shortened(name.stem, to: max(1, name.stem.utf8.count - cut)) + ending
        let parts = [stem, sidecarOf ?? "", name.ext].filter { !$0.isEmpty }
        return "\(folder(path))\(parts.joined(separator: "."))"
    }

    private var hasFolders: Bool { layout.source.utf8.contains(0x2F) }

    /// With its `/`; empty for a bare name.
    private static func folder(_ path: String) -> Substring {
        path.utf8.lastIndex(of: 0x2F).map { path[...$0] } ?? ""
    }

    private static func name(_ path: String) -> Substring {
        path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    }

    /// A sidecar or memo has nothing to say of camera, photographer and time: its primary has.
    private static func following(_ values: TemplateValues, _ lead: TemplateValues?) -> TemplateValues {
        guard var result = lead else { return values }
        for key in ["size", "sha256", "sha1", "md5"] { result.text[key] = values.text[key] }
        return result
    }

    /// What the folder is named by: the shot's primary, so that a shot lies together.
    ///
    /// Pictures that `{kind}`, `{ext}` or `{stem}` part are parted; a sidecar or memo lies beside the file that it
    /// belongs to.
    private func folderValues(
        _ asset: Asset, _ own: TemplateValues, _ lead: TemplateValues, ending: String
    ) -> TemplateValues {
        var values = lead
        if asset.kind.follows {
            let ext = lead.text["ext"] ?? ""
            if let of = asset.shot.sidecarOf, of.lowercased() != ext.lowercased() {
                (values.text["ext"], values.text["kind"]) = (of, MediaKind(fileName: "x." + of).rawValue)
            }
            values.text.merge(named(values, by: lead, sidecarOf: nil, ending: ending, cut: 0).text) { $1 }
        } else {
            for key in ["name", "stem", "ext", "kind", "size", "sha256", "sha1", "md5"] {
                values.text[key] = own.text[key]
            }
        }
        return values
    }

    /// True when no component is empty or longer than 255 bytes.
    private static func fits(_ path: String) -> Bool {
        var length = 0
        for byte in path.utf8 {
            if byte != 0x2F { length += 1 } else if length == 0 { return false } else { length = 0 }
            if length > 255 { return false }
        }
        return length > 0
    }

    /// `name`, `stem` and `ext` after renaming and suffix, the stem cut by that many bytes; and how many bytes the
    /// whole name would have.
    ///
    /// `renaming` are the values that `rename` is filled with: a sidecar's new stem is its primary's.
    private func named(
        _ values: TemplateValues, by renaming: TemplateValues, sidecarOf: String?, ending: String, cut: Int
    ) -> (text: [String: String], whole: Int) {
        let ext = values.text["ext"] ?? ""
        var stem = values.text["stem"] ?? ""
        if let rename {
            stem = rename.rendered(with: renaming)
            if let sidecarOf { stem += "." + sidecarOf }
        }
        if !ending.isEmpty {
            var ending = ending
            if let sidecarOf, stem.hasSuffix("." + sidecarOf) {
                stem = String(stem.dropLast(sidecarOf.count + 1))
                ending += "." + sidecarOf
            }
            stem = SafeName.shortened(stem, to: max(1, stem.utf8.count - cut)) + ending
        }
        let whole = ext.isEmpty ? stem : stem + "." + ext, name = SafeName.component(whole)
        return (["name": name, "stem": FileName(name).stem, "ext": ext], whole.utf8.count)
    }

    /// Clip trees keep their inner paths below `…/{volume}/`; a clash gives the whole tree's folder a suffix.
    private func treePath(_ inner: String, values: TemplateValues, ending: String) -> String {
        let folder = layout.rendered(with: values).split(separator: "/").dropLast().joined(separator: "/")
        let volume = SafeName.component(values.text["volume"] ?? "card") + ending
        return [folder, volume, SafeName.path(inner)].filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// Over-long last components are cut before the extension; the rest is safe already.
    private func fitted(_ path: String) -> String {
        path.split(separator: "/").map { SafeName.shortened(String($0)) }.joined(separator: "/")
    }
}
