import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import PTPKit
import USBKit

struct CamerasCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "List the cameras, which module takes each and why, and which program holds it.",
        discussion: """
            EXAMPLES:
              filmgate cameras
              filmgate cameras --host 192.168.1.1 --json
              filmgate cameras --search
              filmgate cameras --record body.txt --camera usb://001/004
              filmgate cameras --watch
              filmgate cameras --host 192.168.1.1 --trace
            """)

    @Option(
        help: ArgumentHelp("Also ask the camera at this address; may be given several times.", valueName: "host[:port]")
    )
    var host: [String] = []

    @Flag(help: "Also search the networks that this computer is in.")
    var search = false

    @Option(
        help: ArgumentHelp(
            "The text of the code that a camera shows; prints the command that joins its network.", valueName: "text"))
    var code: String?

    @Option(
        help: ArgumentHelp("Write a scrubbed transcript of a session with the camera to this file.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("With --record: which camera, as for import --camera.", valueName: "id"))
    var camera: String?

    @Flag(help: "Report what is plugged in and pulled out, until stopped.")
    var watch = false

    @OptionGroup var tracing: TraceOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        if let code { return try tell(code, invocation.console) }
        let context = try context(invocation), console = context.console, usb = USBHost()
        if watch { return await tell(usb.changes(), console) }
        if let record { return try await keep(record, context) }
        guard camera == nil else {
            throw ValidationError("--camera goes with --record; filmgate import --camera takes from one.")
        }
        let hosts = try host.map { text in
            guard let host = CameraHost(text: text) else { throw ValidationError("`\(text)` is no address.") }
            return host
        }
        let found = try await context.telling { () async throws(IngestError) in
            let finder = context.finder
            // Where a camera was before is looked at without being told.
            let candidates = search ? await finder.candidates() : finder.remembered()
            if !hosts.isEmpty || !candidates.isEmpty { try context.makeState() }
            let survey = CameraSurvey(
                matchers: try CameraMatcher.all(context), connections: context.connections, host: usb)
            let native = try await survey.run(hosts, candidates: candidates, finder)
            return CameraSurvey.adding(try await GPhotoCameras(context: context).places(), to: native)
        }
        for facts in found {
            if options.json { console.out(facts.json.finished) } else { for line in facts.text { console.out(line) } }
        }
        if search { tell(context.finder.counters, console) }
        if let failure = found.lazy.filter(\.isNamed).compactMap(\.failure).first {
            let code = Failure.exitCode(failure)
            throw Exit(code == .failure ? .sourceLost : code)
        }
        if found.isEmpty {
            console.err(
                "No camera is plugged in. A camera must be switched on, and its USB mode not set to charging alone.")
        }
    }

    private func context(_ invocation: Invocation) throws -> CommandContext {
        var context = try CommandContext(options, invocation)
        try context.trace(tracing)
        return context
    }

    /// A session as a pipeline would have it, written down.
    private func keep(_ file: String, _ context: CommandContext) async throws {
        let id = camera ?? host.first ?? "usb", path = context.invocation.paths.absolute(file)
        try await context.telling { () throws(IngestError) in try Self.requireRecording(path) }
        let text = try await context.telling { () async throws(IngestError) in
            try await CameraRecorder(context: context).record(id)
        }
        try await context.telling { () throws(IngestError) in
            let bytes = Array(text.utf8)
            try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
        }
        context.console.err(
            "\(path): serial numbers and contents of files are left out; look through it before you give it away.")
    }

    /// What is there and is no earlier recording may be a pipeline that was taken for the option's value.
    private static func requireRecording(_ path: String) throws(IngestError) {
        guard let facts = try FileFacts.of(path) else { return }
        if facts.kind == .regular {
            let head = try RootedFile(Paths.name(path), below: Paths.folder(path)).bytes(in: 0..<64)
            if head.isEmpty || Recording.begins(head) { return }
        }
        throw IngestError(
            .misconfigured, "--record: \(PathText.shown(path)) is there and is no recording.",
            advice: "Name a new file behind --record.")
    }

    /// What became of the addresses that were asked, and why there is nothing where there is nothing.
    private func tell(_ counters: SearchCounters, _ console: Console) {
        if options.json {
            var line = JSONWriter()
            line.add("type", "search")
            for (name, count) in counters.named { line.add(name, count) }
            line.add("advice", counters.advice)
            console.out(line.finished)
        } else {
            console.err(
                "searched: "
                    + counters.named.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", "))
            if let advice = counters.advice { console.err("  → " + advice) }
        }
    }

    /// The network behind a code, and how to join it.
    private func tell(_ text: String, _ console: Console) throws {
        guard let code = Modules.wifiCodes.lazy.compactMap({ $0(text) }).first else {
            throw ValidationError("This is not the text of a code that a known camera shows.")
        }
        if options.json {
            var line = JSONWriter()
            line.add("type", "network")
            line.add("network", code.network)
            line.add("password", code.password)
            line.add("model", code.model.isEmpty ? nil : code.model)
            line.add("command", code.joining)
            console.out(line.finished)
        } else {
            console.out("network: \(Describe.name(code.network))")
            console.out("password: \(Describe.name(code.password))")
            console.out(Describe.name(code.joining))
            console.err("Join it with that command, or by hand; then: filmgate cameras --search")
        }
    }

    /// Cameras that come and go, without opening them.
    private func tell(_ changes: AsyncStream<USBChange>, _ console: Console) async {
        for await change in changes {
            let (device, word) =
                switch change {
                case .arrived(let device): (device, "arrived")
                case .left(let device): (device, "left")
                }
            guard USBCameraBus.interface(of: device) != nil else { continue }
            if options.json {
                var line = CameraFacts(device).json
                line.add("change", word)
                console.out(line.finished)
            } else {
                console.out("\(word) usb://\(device.address)  \(Describe.name(device.label))")
            }
        }
    }
}
