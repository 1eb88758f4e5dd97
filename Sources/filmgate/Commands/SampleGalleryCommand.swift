import ArgumentParser
import FilmgateCore
import FilmgateSample

extension SampleCommand {
    struct Gallery: Verb {
        static let configuration = CommandConfiguration(
            commandName: "gallery", abstract: "Run a small gallery on this machine that takes uploads.",
            discussion: """
                EXAMPLE:
                  TOKEN=secret filmgate sample gallery --dir /tmp/gallery --port 8090 --token-env TOKEN
                """)

        @Option(name: .customLong("dir"), help: "Where it keeps what it receives.", completion: .directory)
        var directory: String

        @Option(help: "The port on 127.0.0.1; 0 picks a free one.")
        var port = 8090

        @Option(help: ArgumentHelp("The environment variable that holds the bearer token.", valueName: "name"))
        var tokenEnv = "FILMGATE_GALLERY_TOKEN"

        @Option(help: ArgumentHelp("Misbehave, for tests: \(GalleryFault.known)", valueName: "faults"))
        var fault: String?

        @OptionGroup var options: CommonOptions

        func validate() throws {
            guard let fault else { return }
            do throws(IngestError) { _ = try GalleryFault.list(fault) } catch {
                throw ValidationError("--fault: \(error.description)")
            }
        }

        func run(in invocation: Invocation) async throws {
            guard let token = UserPath.environment(tokenEnv) else {
                throw ValidationError("Set \(tokenEnv) to the token that uploads must carry.")
            }
            let context = try CommandContext(options, invocation), console = context.console
            try await context.telling { () async throws(IngestError) in
                let gallery = try GalleryServer(
                    directory: invocation.paths.absolute(directory), token: token, port: port, fault: fault)
                try await gallery.run { address in console.out("gallery: \(address)") }
            }
        }
    }
}
