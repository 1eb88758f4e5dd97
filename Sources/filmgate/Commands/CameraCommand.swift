import ArgumentParser
import FileKit
import FilmgateCore
import PTPKit
import VirtualCamera

struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "A virtual camera on this machine, for trying out and for tests.",
        subcommands: [Simulate.self])

    struct Simulate: Verb {
        static let configuration = CommandConfiguration(
            commandName: "simulate", abstract: "Answer PTP/IP as a real body does, with a folder's files as its card.",
            discussion: """
                EXAMPLE:
                  filmgate camera simulate --make ptp --port 15740 --files /tmp/CARD
                """)

        @Option(help: "The make to imitate, by the name of its module.")
        var make = "ptp"

        @Option(help: "The port on 127.0.0.1; 0 picks a free one.")
        var port: UInt16 = 15740

        @Option(help: "The folder whose files are on its card.", completion: .directory)
        var files: String

        @Option(
            help: ArgumentHelp(
                "Put the files on the card one shot at a time, this far apart, and print when each was.",
                valueName: "duration"))
        var shootEvery: String?

        @Option(help: "With --shoot-every: how many shots come at a time.")
        var burst = 1

        @Option(
            help: ArgumentHelp(
                "What happens when, such as 5s=burst:10, 20s=pull-card or 30s=break; may be given several times.",
                valueName: "time=action")
        )
        var at: [String] = []

        @Option(
            help: ArgumentHelp(
                "Also put a clip of this many computed bytes on the card, such as 6GiB.", valueName: "size"))
        var clip: String?

        @Option(help: "Misbehave, such as busy:times=5 or drop@GetObject:after=1000000; may be given several times.")
        var fault: [String] = []

        @OptionGroup var options: CommonOptions

        private static func clip(_ text: String) throws -> VirtualFile {
            guard let size = ByteCount(text: text) else { throw ValidationError("--clip takes a size such as 6GiB.") }
            return VirtualFile("MVI_9999.MP4", .pattern(seed: 64, size: size.bytes))
        }

        private static func fault(_ text: String) throws -> Fault {
            if let fault = Fault(text: text) { return fault }
            let known = Fault.words.joined(separator: ", ")
            throw ValidationError("`\(text)` is no fault that a virtual camera knows; known: \(known).")
        }

        private func refuseMissing(_ directory: String, _ context: CommandContext) async throws {
            try await context.telling { () throws(IngestError) in
                guard try FileFacts.of(directory)?.kind == .directory else {
                    throw IngestError(
                        .notFound, "There is no folder \(files).", advice: "`filmgate sample card DIR` makes one.")
                }
            }
        }

        private static func tellLeftOut(_ directory: String, _ console: Console) {
            let most = VirtualFile.longestName
            for path in VirtualFile.tooLong(at: directory) {
                let name = Describe.name(path)
                console.err(
                    "left out: \(name): a camera's names have at most \(most) characters; give it a shorter one")
            }
        }

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation), directory = invocation.paths.absolute(files)
            try await refuseMissing(directory, context)
            let faults = try fault.map(Self.fault)
            let pause = try shootEvery.map { text in
                guard let pause = Duration(text: text) else {
                    throw ValidationError("--shoot-every takes a duration such as 2s.")
                }
                return pause
            }
            let script = try CameraScript(
                at.map { text in
                    guard let step = CameraScript.Step(text: text) else {
                        throw ValidationError("`\(text)` is not a time and an action; write for example 5s=burst:10.")
                    }
                    return step
                })
            let clip = try clip.map(Self.clip)
            guard let personality = Modules.bodies[make] else {
                let known = Modules.bodies.keys.sorted().joined(separator: ", ")
                throw ValidationError("There is no virtual camera called `\(make)`; known: \(known).")
            }
            Self.tellLeftOut(directory, context.console)
            var card = VirtualCard(firstHandle: personality.firstHandle)
            if pause == nil, at.isEmpty { card.load(directory) }
            if let clip { card.add(clip, in: personality.folder) }
            let camera = VirtualCamera(personality, cards: [card], faults: faults)
            let responder = try await context.telling { () throws(IngestError) in
                do throws(PTPError) { return try personality.serve(camera, address: "127.0.0.1", port: port) } catch {
                    throw IngestError(
                        .misconfigured, "The port \(port) cannot be used: \(error)",
                        advice: "Choose another with --port.")
                }
            }
            context.console.out("camera: 127.0.0.1:\(responder.port)")
            let shots = pause == nil && at.isEmpty ? [] : VirtualFile.shots(in: directory)
            if let pause {
                for start in stride(from: 0, to: shots.count, by: max(1, burst)) {
                    try await Task.sleep(for: pause)
                    for shot in shots[start..<min(shots.count, start + max(1, burst))] {
                        let now = WallClock.text
                        camera.shoot(shot)
                        context.console.out("shot: \(shot.map(\.name).joined(separator: " ")) at \(now)")
                    }
                }
            }
            try await script.play(camera, responder, shots: pause == nil ? shots : [])
            while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            responder.stop()
        }
    }
}
