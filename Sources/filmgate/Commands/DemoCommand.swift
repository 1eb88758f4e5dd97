import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateSample
import Foundation
import Synchronization

/// The main job on a made-up card, by the program's own commands.
struct DemoCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Show the main job on a made-up card: into a folder and a gallery on this machine, twice, and the proof.",
        discussion: """
            EXAMPLE:
              filmgate demo

            All of it lies in one new folder below TMPDIR, which is removed in the end.
            """)

    func run(in invocation: Invocation) async throws {
        let demo: Demo
        do throws(IngestError) { demo = try await Demo.begun(invocation.console) } catch {
            invocation.console.tell(error, json: false)
            throw Exit(error.code == .storageFull ? .full : .failure)
        }
        let status = await demo.show()
        let isStopped = [.interrupted, .terminated].contains(status)
        // Asked before all of it goes.
        let lack = status == .complete || isStopped ? nil : Demo.lackOfRoom
        await demo.end()
        if let lack {
            invocation.console.tell(lack, json: false)
            throw Exit(.full)
        }
        guard status == .complete else { throw Exit(status) }
        let page = "\(CommandLine.arguments[0]) studio --sample (http://127.0.0.1:8484/)"
        invocation.console.out("\nThe page, over a sample shoot that goes on: \(page)")
    }
}

/// A card, a gallery that listens, and a state directory, below one folder.
private final class Demo: Sendable {
    private let folder: String, gallery: GalleryServer, port: Int, token: String, console: Console
    private struct State {
        var child: ChildProcess?
        var stopped: ExitStatus?
    }
    private let state = Mutex(State())
    private let steps = BlockingPool(width: 1)

    /// What is said of a step that failed where there is too little room for all of them.
    static var lackOfRoom: IngestError? { TrialFolder.lackOfRoom(for: "demo") }

    /// Makes the folder and starts the gallery.
    static func begun(_ console: Console) async throws(IngestError) -> Demo {
        let folder = try TrialFolder.make(for: "demo")
        let token = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
        do throws(IngestError) {
            let gallery = try GalleryServer(directory: folder + "/gallery", token: token)
            let demo = Demo(folder, gallery, port: try await gallery.start(), token, console)
            let text = Array(demo.pipelineText.utf8)
            try DurableFile.atomicWrite(text.span.bytes, to: demo.pipeline, mode: 0o600)
            return demo
        } catch {
            let told = lackOfRoom ?? error
            try? FileManager.default.removeItem(atPath: folder)
            throw told
        }
    }

    private init(_ folder: String, _ gallery: GalleryServer, port: Int, _ token: String, _ console: Console) {
        (self.folder, self.gallery, self.port, self.token, self.console) = (folder, gallery, port, token, console)
    }

    private var card: String { folder + "/CARD" }
    private var pipeline: String { folder + "/quickstart.yaml" }
    private var archive: String { folder + "/archive" }

    /// pipelines/quickstart.yaml, with places of its own.
    private var pipelineText: String {
        """
        version: 1
        name: quickstart
        sources:
          - card: {}
        stages:
          - exif: {}
          - dedupe: {}
          - upload: { to: [archive, gallery] }
        targets:
          archive: { folder: { path: "\(archive)/{captured:yyyy-MM-dd}" } }
          gallery:
            http:
              url: "http://127.0.0.1:\(port)/api/assets"
              auth: studio
              accept: [jpeg, heif]
              digest: { json: sha256 }
              find: { url: "http://127.0.0.1:\(port)/api/assets/by-digest/{sha256}" }
        auth:
          studio: { bearer: { token: "${env:\(Self.variable)}" } }
        """
    }

    private static let variable = "FILMGATE_GALLERY_TOKEN"

    /// All steps, until one ends otherwise than it should.
    func show() async -> ExitStatus {
        let key = SignalRouter.shared.take([SIGINT, SIGTERM, SIGHUP]) { number in
            let child = self.state.withLock { state in
                state.stopped = number == SIGINT ? .interrupted : .terminated
                return state.child
            }
            // The terminal tells the step of Ctrl-C itself, and a second one would cut it off.
            if number == SIGTERM { child?.interrupt() }
        }
        defer { SignalRouter.shared.give(key) }
        let taking = ["--pipeline", pipeline, "--state", folder + "/state"]
        let taken: [[String]] = [
            ["sample", "card", card], ["import", card] + taking, ["import", card] + taking,
        ]
        for words in taken {
            let status = await step(words)
            if status != .complete { return status }
        }
        // The second one has found nothing to do: asked for, an empty run ends so.
        let again = await step(["import", card] + taking + ["--error-on-empty"], quietly: true)
        if [.interrupted, .terminated].contains(again) { return again }
        if again != .nothingToDo {
            console.err("A later run still had something to do (exit \(again.rawValue)).")
            return again == .complete ? .failure : again
        }
        list()
        let allowed = ["--allow", "same-device", "--allow", "filtered"]
        return await step(["safe-to-format", card, "--state", folder + "/state"] + allowed)
    }

    private func step(_ words: [String], quietly isQuiet: Bool = false) async -> ExitStatus {
        if !isQuiet {
            tell((["filmgate"] + words).joined(separator: " ").replacing(folder + "/", with: ""))
        }
        let lines =
            ChildProcess.Command.inherited(without: [Self.variable]) + ["\(Self.variable)=\(token)"]
        var command = ChildProcess.Command([StudioCards.program] + words, environment: lines)
        // It may ask the terminal how wide it is.
        command.hasOwnGroup = false
        let streams: [CInt?] = isQuiet ? [nil, nil, nil] : [nil, STDOUT_FILENO, STDERR_FILENO]
        let child: ChildProcess
        do throws(ChildProcess.StartFailure) { child = try ChildProcess(command, streams) } catch {
            console.err("The demo cannot start this program again: \(error.reason).")
            return .failure
        }
        let isStopped = state.withLock { state in
            state.child = child
            return state.stopped != nil
        }
        if isStopped { child.interrupt() }
        let ending = try? await steps.run { () throws(IngestError) in child.wait() }
        let stopped = state.withLock { state in
            state.child = nil
            return state.stopped
        }
        if let stopped { return stopped }
        // Ctrl-C may have ended the step before this program heard of it.
        guard let ending, ending.signal == 0 else { return ending?.signal == SIGINT ? .interrupted : .failure }
        return ExitStatus(rawValue: ending.code) ?? .failure
    }

    private func tell(_ line: String) { console.out("\n$ \(line)") }

    /// The copies, as `find` would show them.
    private func list() {
        tell("find archive -type f")
        let names =
            (FileManager.default.enumerator(atPath: archive)?.compactMap { $0 as? String } ?? []).filter {
                name in
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(
                    atPath: "\(archive)/\(name)", isDirectory: &isFolder)
                return isThere && !isFolder.boolValue && !name.hasPrefix(".filmgate/")
            }
        for name in names.sorted() { console.out("archive/\(name)") }
    }

    /// Ends the gallery and removes everything.
    func end() async {
        await gallery.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
