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
        func rendered(cut: Int) -> (path: String, excess: Int) {
            let named = named(asset, values: values, lead: lead, suffix: suffix, cut: cut)
            var values = values
            values.text.merge(named.text) { $1 }
            let path = layout.rendered(with: values)
            return (path, max(named.excess, (path.split(separator: "/").last?.utf8.count ?? 0) - 255))
        }
        var (path, excess) = rendered(cut: 0)
        if suffix > 1, excess > 0 { (path, excess) = rendered(cut: excess) }
        return fitted(path)
    }

    /// `name`, `stem` and `ext` after renaming and suffix, the stem cut by that many bytes; and by how many the name is too long.
    private func named(
        _ asset: Asset, values: TemplateValues, lead: TemplateValues, suffix: Int, cut: Int
    ) -> (text: [String: String], excess: Int) {
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
        return (["name": name, "stem": FileName(name).stem, "ext": ext], whole.utf8.count - 255)
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
