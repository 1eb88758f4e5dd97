import ArgumentParser
import FilmgateCore
import PTPKit
import USBKit

struct CamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras", abstract: "Which cameras are there, which module takes each and why, and what holds it.",
        discussion: """
            EXAMPLES:
              filmgate cameras
              filmgate cameras --host 192.168.1.1 --json
              filmgate cameras --watch
            """)

    @Option(help: ArgumentHelp("Also ask the camera at this address; may be given several times.", valueName: "host[:port]"))
    var host: [String] = []

    @Flag(help: "Tell what is plugged in and out, until stopped.")
    var watch = false

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let workplace = try Workplace(options), usb = USBHost()
        if watch { return await tell(usb.changes()) }
        let hosts = try host.map { text in
            guard let host = CameraHost(text: text) else { throw ValidationError("`\(text)` is no address.") }
            return host
        }
        let found = try await workplace.telling { () async throws(IngestError) in
            if !hosts.isEmpty { try workplace.makeState() }
            let survey = CameraSurvey(experts: try CameraExpert.all(workplace), porch: workplace.porch, host: usb)
            return try await survey.run(hosts)
        }
        for facts in found {
            if options.json { Console.out(facts.json.finished) } else { for line in facts.text { Console.out(line) } }
        }
        if found.isEmpty {
            Console.err("No camera is plugged in. A camera must be switched on, and its USB mode not set to charging alone.")
        }
    }

    /// Cameras that come and go, without opening them.
    private func tell(_ changes: AsyncStream<USBChange>) async {
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
                Console.out(line.finished)
            } else {
                Console.out("\(word) usb://\(device.address)  \(Describe.name(device.label))")
            }
        }
    }
}
