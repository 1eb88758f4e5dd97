import ArgumentParser
import FilmgateCore
import PTPKit
import VirtualCamera

struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "A virtual camera on this machine, for trying out and for tests.", subcommands: [Simulate.self])

    struct Simulate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "simulate", abstract: "Answer PTP/IP as a real body does, with a folder's files as its card.",
            discussion: """
                EXAMPLE:
                  filmgate camera simulate --make ptp --port 15740 --files /tmp/CARD
                """)

        @Option(help: "Whose body, by the name of its module.")
        var make = "ptp"

        @Option(help: "The port on 127.0.0.1; 0 picks a free one.")
        var port: UInt16 = 15740

        @Option(help: "The folder whose files are on its card.", completion: .directory)
        var files: String

        @Option(help: ArgumentHelp("Put the files on the card one shot at a time, this far apart.", valueName: "duration"))
        var shootEvery: String?

        @Option(help: "Misbehave, such as busy:times=5 or drop@GetObject:after=1000000; may be given several times.")
        var fault: [String] = []

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let workplace = try Workplace(options), directory = UserPath.absolute(files)
            let faults = try fault.map { text in
                guard let fault = Fault(text: text) else { throw ValidationError("`\(text)` is no fault that a virtual camera knows.") }
                return fault
            }
            let pause = try shootEvery.map { text in
                guard let pause = Duration(text: text) else { throw ValidationError("--shoot-every takes a duration such as 2s.") }
                return pause
            }
            guard let personality = Modules.bodies[make] else {
                throw ValidationError(
                    "There is no virtual camera called `\(make)`; known: \(Modules.bodies.keys.sorted().joined(separator: ", ")).")
            }
            var card = VirtualCard()
            if pause == nil { card.load(directory) }
            let camera = VirtualCamera(personality, cards: [card], faults: faults)
            let responder = try await workplace.telling { () throws(IngestError) in
                do throws(PTPError) { return try personality.serve(camera, address: "127.0.0.1", port: port) } catch {
                    throw IngestError(.misconfigured, "The port \(port) cannot be used: \(error)", advice: "Choose another with --port.")
                }
            }
            Console.out("camera: 127.0.0.1:\(responder.port)")
            if let pause {
                for shot in VirtualFile.shots(in: directory) {
                    try await Task.sleep(for: pause)
                    _ = camera.shoot(shot)
                }
            }
            while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            responder.stop()
        }
    }
}
