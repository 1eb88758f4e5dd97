import FilmgateCore

/// Makes the path of an asset below a target's root: templates, renaming, sidecars after their primary, clip trees kept whole.
struct Namer: Sendable {
    let layout: Template
    let rename: Template?

    /// True when any part of the name uses `{counter}`.
    var usesCounter: Bool { layout.uses.contains("counter") || rename?.uses.contains("counter") == true }

    /// The path of `asset`; `suffix` 1 = none, 2 = `-2` and so on.
    ///
    /// `lead` are the values of the shot's primary. A suffix survives where the name has to be cut to 255 bytes.
    func path(of asset: Asset, values: TemplateValues, lead: TemplateValues, suffix: Int) -> String {
        if let inner = asset.shot.innerPath { return treePath(inner, values: values, lead: lead, suffix: suffix) }
        func rendered(cut: Int) -> (path: String, whole: Int) {
            let named = named(asset, values: values, lead: lead, suffix: suffix, cut: cut)
            var values = values
            values.text.merge(named.text) { $1 }
            return (layout.rendered(with: values), named.whole)
        }
        var (path, whole) = rendered(cut: 0)
        // Hardly any name is too long, and this is asked for every file.
        if whole <= 255, Self.fits(path) { return path }
        if suffix > 1 {
            let excess = max(whole, path.split(separator: "/").last?.utf8.count ?? 0) - 255
            if excess > 0 { path = rendered(cut: excess).path }
        }
        return fitted(path)
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

    /// `name`, `stem` and `ext` after renaming and suffix, the stem cut by that many bytes; and how many bytes the whole name would have.
    private func named(
        _ asset: Asset, values: TemplateValues, lead: TemplateValues, suffix: Int, cut: Int
    ) -> (text: [String: String], whole: Int) {
        let ext = values.text["ext"] ?? ""
        var stem = values.text["stem"] ?? ""
        if let rename {
            stem = rename.rendered(with: asset.kind.follows ? merged(values, lead) : values)
            if let of = asset.shot.sidecarOf { stem += "." + of }
        }
        if suffix > 1 {
            var ending = "-\(suffix)"
            if let of = asset.shot.sidecarOf, stem.hasSuffix("." + of) {
                stem = String(stem.dropLast(of.count + 1))
                ending += "." + of
            }
            stem = SafeName.shortened(stem, to: max(1, stem.utf8.count - cut)) + ending
        }
        let whole = ext.isEmpty ? stem : stem + "." + ext, name = SafeName.component(whole)
        return (["name": name, "stem": FileName(name).stem, "ext": ext], whole.utf8.count)
    }

    /// A sidecar's new stem is its primary's: the primary's values decide, not the sidecar's own.
    private func merged(_ values: TemplateValues, _ lead: TemplateValues) -> TemplateValues {
        var result = lead
        result.text["kind"] = lead.text["kind"] ?? values.text["kind"]
        return result
    }

    /// Clip trees keep their inner paths below `…/{volume}/`; a clash gives the whole tree's folder a suffix.
    private func treePath(_ inner: String, values: TemplateValues, lead: TemplateValues, suffix: Int) -> String {
        let folder = layout.rendered(with: values).split(separator: "/").dropLast().joined(separator: "/")
        let volume = SafeName.component(values.text["volume"] ?? "card") + (suffix > 1 ? "-\(suffix)" : "")
        return [folder, volume, SafeName.path(inner)].filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// Over-long last components are cut before the extension; the rest is safe already.
    private func fitted(_ path: String) -> String {
        path.split(separator: "/").map { SafeName.shortened(String($0)) }.joined(separator: "/")
    }
}
