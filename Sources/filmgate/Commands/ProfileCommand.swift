import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import Glibc

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Show what holds for a camera, and which profile decided it.",
        subcommands: [Show.self])

    struct Show: Verb {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Say which rules of a pipeline hold for a file or a camera.",
            discussion: """
                EXAMPLE:
                  filmgate profile show IMG_0001.CR3 --pipeline wedding.yaml
                  filmgate profile show "Acme X100" --serial 00123 --pipeline wedding.yaml
                """)

        @Argument(help: "A file from the camera, or its make and model.", completion: .file())
        var file: String

        @Option(help: "The body's serial number, with a make and model.")
        var serial: String?

        @Option(help: "The owner set in it, with a make and model.")
        var owner: String?

        @Option(
            help: ArgumentHelp(
                "The pipeline whose profiles are asked. (default: the shipped profiles)", valueName: "file"))
        var pipeline: String?

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation), path = invocation.paths.absolute(file)
            let pipeline = try pipeline.map { try context.load($0) } ?? shipped(context)
            if access(path, F_OK) != 0 {
                if isNamedAsFile {
                    throw context.end(
                        IngestError(
                            .notFound, "There is no file \(file).",
                            advice: "A camera is written as its make and model: \"Acme, X100\"."))
                }
                let media = described
                return show(pipeline.profiles.resolve(Self.body(media)), media, context.console)
            }
            try await context.telling { () throws(IngestError) in try refuseFolder(path) }
            let found = FirstAsset(), inspection = Inspection(paths: [UserPath.literal(path)], logger: context.logger)
            _ = try await context.telling { () async throws(IngestError) in
                try await inspection.run { asset, _ in found.note(asset) }
            }
            guard let media = found.first?.media else {
                throw context.end(
                    IngestError(.notFound, "\(file) is no media file that says which camera made it."))
            }
            show(pipeline.profiles.resolve(Self.body(media)), media, context.console)
        }

        /// What is shipped says, where no pipeline is named.
        private func shipped(_ context: CommandContext) throws -> PipelineFile {
            let loader = context.loader()
            var node = BuiltinPipeline.importing(to: ["/"])
            node.set("include", ConfigNode(.list(loader.shippedProfiles.map { ConfigNode(.scalar($0, quoted: true)) })))
            return try context.checked(loader.load(node: node))
        }

        /// A folder may hold files of several cameras.
        private func refuseFolder(_ path: String) throws(IngestError) {
            guard try FileFacts.of(FileSystem.canonical(path))?.kind == .directory else { return }
            throw IngestError(
                .notFound, "\(PathText.shown(file)) is a folder, and each file in it may be from another camera.",
                advice: "Name one file in it, or write the camera as its make and model: \"Acme, X100\".")
        }

        /// A path, or the name of a media file: then no camera is meant.
        private var isNamedAsFile: Bool {
            file.hasPrefix("/") || file.hasPrefix("./") || file.hasPrefix("../") || file.hasPrefix("~/")
                || MediaKind(fileName: String(file.split(separator: "/").last ?? "")) != .other
        }

        /// A camera in words: `make, model`, or the first word is its make.
        private var described: MediaFacts {
            var media = MediaFacts()
            let cut = file.split(separator: ",", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
            if cut.count > 1 {
                (media.make, media.model) = (String(cut[0]), String(cut[1]))
            } else {
                let make = file.prefix { !$0.isWhitespace }
                (media.make, media.model) = (String(make), make.count < file.count ? file : nil)
            }
            (media.serial, media.owner) = (serial, owner)
            return media
        }

        private static func body(_ media: MediaFacts) -> CameraBody {
            CameraBody(make: media.make, model: media.model, serial: media.serial, owner: media.owner)
        }

        private static func text(_ rule: StampRule) -> String? {
            let texts = [
                ("creator", rule.creator), ("copyright", rule.copyright), ("event", rule.event),
                ("caption", rule.caption),
            ]
            var parts = texts.compactMap { name, template in template.map { "\(name): \($0.source)" } }
            if let keywords = rule.keywords {
                parts.append("keywords: " + keywords.map(\.source).joined(separator: ", "))
            }
            return parts.isEmpty ? nil : parts.joined(separator: "; ")
        }

        private static func text(_ rule: DeliveryRule) -> String {
            guard rule.isOnlyKinds, let kinds = rule.kinds else { return rule.shown ?? "" }
            return kinds.map(\.rawValue).sorted().joined(separator: ", ")
        }

        private func camera(_ media: MediaFacts) -> String {
            guard let model = media.model else { return "\(media.make ?? "unknown make") unknown model" }
            return media.make == nil ? "unknown make \(model)" : ModelSpellings.shown(make: media.make, model: model)
        }

        private func show(_ profile: ResolvedProfile, _ media: MediaFacts, _ console: Console) {
            let values: [(String, String?)] = [
                ("photographer", profile.photographer), ("clock_offset", profile.clockOffset?.shown),
                ("zone", profile.zone?.name), ("movie_clock", profile.movieClock?.rawValue),
                ("accept", profile.accept.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }),
                (
                    "deliver",
                    profile.deliver.map { deliver in
                        deliver.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.text($0.value))" }.joined(
                            separator: "; ")
                    }
                ),
                ("rename", profile.rename?.source), ("stamp", profile.stamp.flatMap(Self.text)),
            ]
            if options.json {
                var line = JSONWriter()
                line.add("type", "profile")
                line.add("make", media.make)
                line.add("model", media.model)
                line.add("serial", media.serial)
                line.add("owner", media.owner)
                for (key, value) in values {
                    var rule = JSONWriter()
                    rule.add("value", value)
                    rule.add("file", profile.decided[key]?.mark.file)
                    rule.add("line", profile.decided[key]?.mark.line)
                    line.add(key, rule)
                }
                var habits = JSONWriter()
                for (name, text) in profile.conventions?.lines ?? [] { habits.add(name, text) }
                line.add("habits", habits)
                return console.out(line.finished)
            }
            console.out(
                "\(camera(media))\(media.serial.map { " #" + $0 } ?? "")\(media.owner.map { ", " + $0 } ?? "")"
            )
            if values.allSatisfy({ $0.1 == nil }), profile.conventions == nil {
                return console.out("  no rule fits this camera")
            }
            for (key, value) in values {
                let rule = profile.decided[key].map { "  (\($0.mark.file):\($0.mark.line))" } ?? ""
                console.out("  \(key): \(value ?? "not set")\(rule)")
            }
            for (name, text) in profile.conventions?.lines ?? [] { console.out("  \(name): \(Describe.name(text))") }
        }
    }
}
