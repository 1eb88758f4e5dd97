import ArgumentParser
import FilmgateCore
import FilmgateSample

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Sample data and a gallery on this machine, for trying out.",
        subcommands: [Card.self, Gallery.self])

    struct Card: Verb {
        static let configuration = CommandConfiguration(
            commandName: "card",
            abstract: "Write a small card: three makes, every kind of file, a duplicate, a truncated picture.",
            discussion: """
                EXAMPLE:
                  filmgate sample card /tmp/CARD
                """)

        @Argument(help: "An empty or new folder.", completion: .directory)
        var directory: String

        @Option(help: "Write this many RAW+JPEG pairs instead, for measuring.")
        var pairs: Int?

        @Option(help: ArgumentHelp("Size of each JPEG of a pair.", valueName: "size"))
        var jpegSize = "6MB"

        @Option(help: ArgumentHelp("Size of each RAW of a pair.", valueName: "size"))
        var rawSize = "20MB"

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation), directory = invocation.paths.absolute(directory)
            let jpeg = try size(jpegSize), raw = try size(rawSize)
            let written = try await context.telling { () throws(IngestError) in
                if let pairs {
                    return try SampleCard.bulk(to: directory, pairs: pairs, jpegSize: jpeg, rawSize: raw)
                } else {
                    return try SampleCard.write(to: directory)
                }
            }
            if !options.json {
                context.console.out(
                    "\(directory): \(Describe.count(written.files, "file")), \(Describe.bytes(written.bytes))")
            }
        }

        private func size(_ text: String) throws -> UInt64 {
            do throws(ConfigError) { return try ByteCount(node: ConfigNode(.scalar(text, quoted: true))).bytes } catch {
                throw ValidationError(error.message)
            }
        }
    }
}
