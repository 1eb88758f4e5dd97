import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Profiles: what holds for a camera, and which rule decided it.", subcommands: [Show.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Say which rules of a pipeline hold for a file.",
            discussion: """
                EXAMPLE:
                  filmgate profile show IMG_0001.CR3 --pipeline wedding.yaml
                """)

        @Argument(help: "A file from the camera.", completion: .file())
        var file: String

        @Option(help: ArgumentHelp("The pipeline whose profiles are asked.", valueName: "file"))
        var pipeline: String

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let workplace = try Workplace(options)
            let pipeline = try workplace.load(pipeline)
            let paths = [UserPath.literal(UserPath.absolute(file))]
            let found = Found()
            _ = try await workplace.telling { () async throws(IngestError) in
                try await Inspection(paths: paths, logger: options.logger).run { asset, _ in found.note(asset) }
            }
            guard let media = found.first?.media else {
                throw Workplace.end(IngestError(.notFound, "\(file) is no media file that says which camera made it."), options)
            }
            let body = CameraBody(make: media.make, model: media.model, serial: media.serial, owner: media.owner)
            show(pipeline.profiles.resolve(body), media)
        }

        private func show(_ profile: ResolvedProfile, _ media: MediaFacts) {
            let values: [(String, String?)] = [
                ("photographer", profile.photographer), ("clock_offset", profile.clockOffset?.shown), ("zone", profile.zone?.name),
                ("accept", profile.accept.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }),
                (
                    "deliver",
                    profile.deliver.map { deliver in
                        deliver.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.map(\.rawValue).sorted().joined(separator: ", "))" }
                            .joined(separator: "; ")
                    }
                ),
                ("rename", profile.rename?.source),
            ]
            if options.json {
                var line = JSONObject()
                line.add("type", "profile")
                line.add("make", media.make)
                line.add("model", media.model)
                line.add("serial", media.serial)
                line.add("owner", media.owner)
                for (key, value) in values {
                    var rule = JSONObject()
                    rule.add("value", value)
                    rule.add("file", profile.decided[key]?.mark.file)
                    rule.add("line", profile.decided[key]?.mark.line)
                    line.add(key, rule)
                }
                return Console.out(line.finished)
            }
            Console.out(
                "\(media.make ?? "unknown make") \(media.model ?? "unknown model")\(media.serial.map { " #" + $0 } ?? "")\(media.owner.map { ", " + $0 } ?? "")"
            )
            for (key, value) in values {
                let rule = profile.decided[key].map { "  (\($0.mark.file):\($0.mark.line))" } ?? ""
                Console.out("  \(key): \(value ?? "not set")\(rule)")
            }
        }
    }
}
