public import FilmgateCore
import Logging
import StampKit

/// Writes creator, copyright, event, caption and keywords: into XMP sidecars beside the originals, and into copies of
/// JPEGs for targets that are to get them so.
///
/// Originals are never changed; what cannot be stamped without losing something is delivered as it is, with the flag
/// `unstamped`.
public struct StampStage: Module, Stage {
    public struct Config: ModuleConfig {
        public var rule = StampRule()
        public var sidecars: [TargetReference] = [], embed: [TargetReference] = []
        public var existing = Existing.keep, sidecarNames = SidecarNames.stem
        public var marks = true
        public init() {}

        public static let schema: Schema<Self> = [
            .field("creator", \.rule.creator, "Who took it, such as \"{photographer}\"."),
            .field("copyright", \.rule.copyright, "Who owns it, such as \"© {captured:yyyy} {photographer}\"."),
            .field("event", \.rule.event, "What it was taken at, such as \"{event}\"."),
            .field("caption", \.rule.caption, "The description, such as \"{event}, {captured:yyyy-MM-dd}\"."),
            .field("keywords", \.rule.keywords, "Keywords, added to those that are there."),
            .field(
                "sidecars", \.sidecars,
                "Targets that get an XMP sidecar beside each frame; a card's own sidecar is merged."),
            .field(
                "embed", \.embed,
                "Targets that get a copy of each JPEG with XMP and IPTC in it, instead of the original."),
            .field(
                "marks", \.marks,
                "Whether rating, colour and pick are written as people said them (`filmgate mark`, the page)."),
            .field("existing", \.existing, "What happens to fields that have a value already."),
            .field(
                "sidecar_names", \.sidecarNames, "`stem` makes IMG_1.xmp for IMG_1.CR3, `file` makes IMG_1.CR3.xmp."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if sidecars.isEmpty, embed.isEmpty {
                throw ConfigError(
                    node.mark, "missing-key", "`stamp` names no target: nothing would be stamped.",
                    hint: "Write `sidecars: [archive]` or `embed: [gallery]`.")
            }
        }
    }
    public enum Existing: String, Sendable, CaseIterable, ConfigValue { case keep, replace }
    public enum SidecarNames: String, Sendable, CaseIterable, ConfigValue { case stem, file }

    public static let manifest = Manifest(
        "stamp", "Writes creator, copyright, event, caption and keywords into sidecars and delivered copies.",
        stability: .beta, needs: [.file, .digest, .media])

    public var traits: StageTraits {
        var traits = StageTraits()
        traits.stamps = true
        return traits
    }

    static let unstamped = "unstamped"
    private let config: Config
    private let writer: StampWriter
    private let logger: Logger

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (self.config, logger, writer) = (config, context.logger, StampWriter())
    }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        guard let stamping = shot.stamping, let values = stamping.values[asset.id], let file = asset.file else {
            return .pass(asset)
        }
        let stamp = stamp(stamping, values)
        if stamp.isEmpty { return .pass(asset) }
        var stamped = asset
        (stamped.renditions, stamped.companions) = ([:], [])
        do throws(IngestError) { try await make(stamp, stamping, &stamped, of: shot, from: file.path) } catch {
            StampWriter.discard(stamped)
            throw error
        }
        stamped.renditions.merge(asset.renditions) { made, _ in made }
        stamped.companions = asset.companions + stamped.companions
        return .pass(stamped)
    }

    public func marked(
        _ rendition: LocalFile, of asset: Asset, as mark: PictureMark, newFile: String, digests: Set<DigestAlgorithm>
    ) async throws(IngestError) -> Rendition? {
        guard config.marks, asset.kind == .jpeg else { return nil }
        var stamp = Stamp()
        stamp.mark = mark
        let stamping = Stamping(rule: StampRule(), values: [:], newFiles: [{ newFile }], digests: digests)
        let job = StampWriter.Job(
            stamp: stamp, path: rendition.path, modified: asset.origin.modified, stamping: stamping)
        guard case .made(let marked) = try await writer.picture(job) else { return nil }
        return marked
    }

    /// Makes all files that `asset` is to have.
    ///
    /// What it throws leaves what was made by then with `asset`.
    private func make(
        _ stamp: Stamp, _ stamping: Stamping, _ asset: inout Asset, of shot: Shot, from path: String
    ) async throws(IngestError) {
        let job = StampWriter.Job(stamp: stamp, path: path, modified: asset.origin.modified, stamping: stamping)
        if asset.kind == .jpeg {
            for target in config.embed { asset.renditions[target.name] = accept(try await writer.picture(job), &asset) }
        } else if Self.isXMP(asset) {
            // A card's own sidecar is filled up, never replaced: elsewhere it may not exist.
            var filling = stamp
            filling.replaces = false
            let merging = StampWriter.Job(
                stamp: filling, path: path, modified: asset.origin.modified, stamping: stamping)
            for target in config.sidecars {
                asset.renditions[target.name] = accept(try await writer.merged(merging), &asset)
            }
        }
        if !config.sidecars.isEmpty, isToGetSidecar(asset, of: shot),
            let sidecar = accept(try await writer.sidecar(job), &asset)
        {
            asset.companions.append(companion(sidecar, of: asset))
        }
    }

    /// Nil, and the asset flagged, where it cannot be stamped.
    private func accept(_ outcome: StampWriter.Outcome, _ asset: inout Asset) -> Rendition? {
        switch outcome {
        case .made(let rendition): return rendition
        case .refused(let reason):
            logger.warning("\(asset.origin.path) is delivered without a stamp: \(reason)")
            asset.flags.insert(Self.unstamped)
            return nil
        }
    }

    private func stamp(_ stamping: Stamping, _ values: TemplateValues) -> Stamp {
        let rule = stamping.rule.filled(from: config.rule)
        var stamp = Stamp()
        stamp.creators = [Self.text(rule.creator, values)].compactMap { $0 }
        stamp.copyright = Self.text(rule.copyright, values)
        stamp.event = Self.text(rule.event, values)
        stamp.caption = Self.text(rule.caption, values)
        stamp.keywords = (rule.keywords ?? []).compactMap { Self.text($0, values) }
        if stamping.isClockCorrected { stamp.captured = values.captured }
        if config.marks { stamp.mark = stamping.mark }
        stamp.replaces = config.existing == .replace
        return stamp
    }

    /// Nil where the text needs what is not known, or is empty.
    private static func text(_ template: Template?, _ values: TemplateValues) -> String? {
        guard let template, template.isFilled(by: values) else { return nil }
        let text = template.rendered(with: values) { $0 }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    private static func isXMP(_ asset: Asset) -> Bool { FileName(asset.origin.name).ext.lowercased() == "xmp" }

    /// The shot's primary, when the card brought no sidecar for it; clip trees have rules of their own for what lies in
    /// them.
    private func isToGetSidecar(_ asset: Asset, of shot: Shot) -> Bool {
        shot.remembered == nil && shot.assets.first?.id == asset.id && !asset.kind.follows
            && asset.shot.innerPath == nil
            && !(shot.assets + shot.known).contains(where: Self.isXMP)
    }

    private func companion(_ rendition: Rendition, of asset: Asset) -> Companion {
        let name = FileName(asset.origin.name), targets = config.sidecars.map(\.name)
        let whole = config.sidecarNames == .file && !name.ext.isEmpty
        return Companion(
            name: (whole ? asset.origin.name : name.stem) + ".xmp", kind: .sidecar, sidecarOf: whole ? name.ext : nil,
            rendition: rendition, targets: targets)
    }
}
