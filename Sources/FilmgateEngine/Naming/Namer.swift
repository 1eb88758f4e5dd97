import FilmgateCore

/// Makes the path of an asset below a target's root: templates, renaming, sidecars after their primary, clip trees kept whole.
struct Namer: Sendable {
    let layout: Template
    let rename: Template?

    /// True when any part of the name uses `{counter}`.
    var usesCounter: Bool { layout.uses.contains("counter") || rename?.uses.contains("counter") == true }

    /// The path of `asset`; `suffix` 1 = none, 2 = `-2` and so on.
    ///
    /// `lead` are the values of the shot's primary.
    func path(of asset: Asset, values: TemplateValues, lead: TemplateValues, suffix: Int) -> String {
        if let inner = asset.shot.innerPath { return treePath(inner, values: values, lead: lead, suffix: suffix) }
        var values = values
        values.text.merge(named(asset, values: values, lead: lead, suffix: suffix)) { $1 }
        return fitted(layout.rendered(with: values))
    }

    /// `name`, `stem` and `ext` after renaming and suffix.
    private func named(_ asset: Asset, values: TemplateValues, lead: TemplateValues, suffix: Int) -> [String: String] {
        let ext = values.text["ext"] ?? ""
        var stem = values.text["stem"] ?? ""
        if let rename {
            stem = rename.rendered(with: asset.kind.follows ? merged(values, lead) : values)
            if let of = asset.shot.sidecarOf { stem += "." + of }
        }
        if suffix > 1 {
            if let of = asset.shot.sidecarOf, stem.hasSuffix("." + of) {
                stem = String(stem.dropLast(of.count + 1)) + "-\(suffix)." + of
            } else {
                stem += "-\(suffix)"
            }
        }
        let name = SafeName.component(ext.isEmpty ? stem : stem + "." + ext)
        return ["name": name, "stem": FileName(name).stem, "ext": ext]
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
