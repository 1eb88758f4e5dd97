import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import FilmgateReport
import FilmgateStudio
import Glibc
import Logging
import ServerKit
import Synchronization

struct StudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio", abstract: "Show the shoot in a browser on this machine.",
        discussion: """
            Prints a link that lets one browser in; it works once, within five minutes. The page shows what the ledger knows, with or \
            without an active run.

            EXAMPLE:
              filmgate studio
              filmgate studio wedding.yaml
              filmgate studio --sample
              filmgate studio link --role view
            """,
        subcommands: [Serve.self, Link.self, Token.self], defaultSubcommand: Serve.self)

    struct Serve: Verb {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Serve the page until stopped (what `filmgate studio` does).",
            discussion: """
                EXAMPLE:
                  filmgate studio --listen 127.0.0.1:8484
                  filmgate studio --listen 0.0.0.0:8484 --self-signed
                """)

        @Option(
            help: ArgumentHelp(
                "Where the page is served: an address and a port; 0 is any. Other machines reach 0.0.0.0:8484, which needs a certificate.",
                valueName: "address"))
        var listen = "127.0.0.1:8484"

        @Flag(help: "Encrypt with a certificate of this page's own, made once; compare its fingerprint in the browser.")
        var selfSigned = false

        @Option(
            help: ArgumentHelp("Encrypt with this certificate, a PEM file.", valueName: "file"), completion: .file())
        var certificate: String?

        @Option(help: ArgumentHelp("The certificate's key, a PEM file.", valueName: "file"), completion: .file())
        var key: String?

        @Option(
            help: ArgumentHelp(
                "A further name that browsers may use, such as that of a tunnel.", valueName: "host[:port]"))
        var name: [String] = []

        @Flag(help: "Show a made-up shoot that goes on, in a folder of its own that is removed in the end.")
        var sample = false

        @Flag(help: "End when standard input ends: for who starts the page and must not leave it behind.")
        var untilEof = false

        @Flag(name: .customLong("no-previews"), help: "Show no pictures, and keep none.")
        var hidesPreviews = false

        @Argument(
            help: "The pipeline that cards are imported and proven with, and that the page shows.",
            completion: .file(extensions: ["yaml", "yml"]))
        var pipeline: String?

        @OptionGroup var options: CommonOptions

        func validate() throws {
            _ = try StudioLink.place(listen, "--listen")
            try encryption.validate()
            if sample, pipeline != nil || options.state != nil {
                throw ValidationError(
                    "--sample has a pipeline and a state of its own: it goes with neither PIPELINE nor --state.")
            }
            // A pipeline of that name would be there. Who starts a page does it in this process, and never as a job.
            if let pipeline, (try? FileFacts.of(UserPath.own.absolute(pipeline))) == .some(.none),
                let slip = Filmgate.slip(pipeline, below: StudioCommand.self)
            {
                throw slip
            }
            for name in name where name.isEmpty || name.contains(where: { " /@".contains($0) }) {
                throw ValidationError("--name takes a name with or without a port, such as studio.example:8484.")
            }
        }

        func run(in invocation: Invocation) async throws {
            if sample { return try await showSample(invocation) }
            let context = try CommandContext(options, invocation), state = context.state
            // A state that cannot be read is told here and not on the page.
            _ = try await context.readLedger()
            if options.state != nil, (try? FileFacts.of(state)) == .some(.none) {
                context.console.err(
                    "warning: there is no state \(PathText.shown(state)) yet: the page shows nothing until a run uses it."
                )
            }
            let place = try StudioLink.place(listen, "--listen"), (host, port) = (place.host, Int(place.port))
            var settings = StudioServer.Options(state: state, host: host, port: port)
            (settings.names, settings.version) = (name, Filmgate.configuration.version)
            let proof = try await context.telling { () async throws(IngestError) in
                try encryption.load(state: state, names: name, from: invocation.paths)
            }
            settings.certificate = proof?.certificate
            if !hidesPreviews { settings.previews = Self.previews(of: state) }
            if let pipeline {
                let file = invocation.paths.absolute(pipeline)
                settings.pipeline = file
                // What cannot be used is told here and not on the page; later mistakes the page tells.
                _ = try context.load(file)
            }
            let json = options.json, logger = context.logger, shown = settings, console = context.console
            let stopped = try await context.telling { () async throws(IngestError) in
                let services = Self.services(context, logger)
                let server = try StudioServer(shown, services, logger: logger)
                let code = try server.makeCode()
                return try await Self.untilStopped(untilEOF: untilEof) { () async throws(IngestError) in
                    try await server.run { port in
                        // Now, as it has its threads.
                        Self.comeAfterRuns()
                        let start = LocalAddress.start(host, isEncrypted: proof != nil) + ":\(port)"
                        Self.tell(start, port, code, proof?.fingerprint, state: state, json: json, console)
                    }
                }
            }
            if let stopped { throw Exit(stopped) }
        }

        /// Where all cores are busy the page waits, and not who takes and sends; what the page starts waits with it.
        private static func comeAfterRuns() {
            // Linux has a priority for each thread; those to come have that of whoever starts them.
            let kind = __priority_which_t(PRIO_PROCESS.rawValue)
            for thread in ((try? FileSystem.names(in: "/proc/self/task")) ?? []).compactMap(UInt32.init)
            where getpriority(kind, thread) < politeness {
                _ = setpriority(kind, thread, politeness)
            }
        }
        /// As in the unit that the package brings.
        private static let politeness: Int32 = 10

        /// What the page's server has this program do.
        private static func services(_ context: CommandContext, _ logger: Logger) -> StudioServices {
            let state = context.state, snapshots = StudioStatus(state: state)
            let catalogs = StudioCatalog(state: state, context.loader())
            var services = StudioServices { () async throws(IngestError) in
                try await StudioEvents(state: state).all()
            } status: { (counts: FrameCounts?) async throws(IngestError) in
                try await snapshots.line(counts)
            }
            services.program = StudioCards.program
            services.mark = { order async throws(IngestError) in
                try await MarkSetting(state: state).carryOut(order)
            }
            let upcoming = UpcomingClient(state: state)
            services.upcoming = { await upcoming.frames() }
            services.upcomingPicture = { await upcoming.picture(of: $0) }
            services.namesCatalog = { await catalogs.isNamed(in: $0) }
            services.shown = { Redaction.hidden($0, at: []) }
            services.qr = { QRText.rows($0) ?? [] }
            services.mounted = { () async throws(IngestError) in try await StudioCards(logger: logger).mounted() }
            services.settled = {
                HeapMemory.giveBack()
                HeapMemory.forgetBeginning()
            }
            services.watch = { hear in
                let watch = RunWatch(state: state)
                watch.start(hear)
                return { watch.end() }
            }
            return services
        }

        /// Beside a state that lies elsewhere than usual, else where programs keep what may be lost: `$XDG_CACHE_HOME`,
        /// or `~/.cache`.
        private static func previews(of state: String) -> String {
            if state != CommonOptions.usualState { return state + "/previews" }
            let base = UserPath.environment("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            return (base ?? UserPath.home + "/.cache") + "/filmgate/previews"
        }

        /// A run of a made-up shoot, with this page beside it.
        private func showSample(_ invocation: Invocation) async throws {
            var options = options
            let place = try StudioLink.place(listen, "--listen"), checked = try CommandContext(options, invocation)
            let sample = try await checked.telling { () async throws(IngestError) -> StudioSample in
                try StudioServer.check(host: place.host, isEncrypted: encryption.isWanted)
                return try await StudioSample()
            }
            options.state = sample.state
            let context = try CommandContext(options, invocation), pipeline = try context.load(sample.pipeline)
            var live = LiveSession(
                session: RunSession(context: context, options: RunOptions(verb: "run", state: sample.state)))
            live.studio = StudioSupervisor(
                place, pipeline: sample.pipeline, state: sample.state, json: options.json, encryption: encryption,
                invocation)
            sample.shoot()
            do { try await live.run(pipeline) } catch {
                await sample.end()
                throw error
            }
        }

        private static func tell(
            _ start: String, _ port: Int, _ code: String, _ fingerprint: String?, state: String, json: Bool,
            _ console: Console
        ) {
            let link = StudioLink.address(start, code)
            guard json else {
                console.out("studio: \(link)")
                if let fingerprint { StudioEncryption.tell(fingerprint, link, console) }
                return console.err(
                    "The link lets one browser in, within five minutes; `\(StudioLink.command(state))` makes another. Ctrl-C ends the page."
                )
            }
            var line = JSONWriter()
            line.add("type", "studio")
            line.add("link", link)
            line.add("port", port)
            line.add("code", code)
            line.add("fingerprint", fingerprint)
            console.out(line.finished)
        }

        private var encryption: StudioEncryption {
            StudioEncryption(isSelfSigned: selfSigned, certificate: certificate, key: key)
        }

        /// Ctrl-C and SIGTERM end the page in order, with `untilEOF` the end of standard input, too; how it was
        /// stopped.
        private static func untilStopped(
            untilEOF: Bool, _ serve: @escaping @Sendable () async throws(IngestError) -> Void
        ) async throws(IngestError) -> ExitStatus? {
            let task = Task { await Result { () async throws(IngestError) in try await serve() } }
            let stopped = Mutex<ExitStatus?>(nil)
            let key = SignalRouter.shared.take([SIGINT, SIGTERM]) { number in
                stopped.withLock { $0 = number == SIGTERM ? .terminated : .interrupted }
                task.cancel()
            }
            if untilEOF {
                BlockingThread.run {
                    var byte: UInt8 = 0, count = 1
                    while count > 0 || (count < 0 && errno == EINTR) { count = read(STDIN_FILENO, &byte, 1) }
                    task.cancel()
                }
            }
            let result = await task.value
            SignalRouter.shared.give(key)
            try result.get()
            return stopped.withLock { $0 }
        }
    }

    struct Link: Verb {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Make a link that lets another browser in, once and within five minutes, or a link for a client.",
            discussion: """
                EXAMPLE:
                  filmgate studio link --role view --for 8h
                  filmgate studio link --event "Smith Wedding" --for 3d --label "Ann Smith"
                """)

        @Option(help: "What the browser may do: view, pick, operate or admin. (default: admin, for a client view)")
        var role: String?

        @Option(help: ArgumentHelp("A link for a client, who sees the files of this event alone.", valueName: "event"))
        var event: String?

        @Flag(help: "A link for a client, who sees what comes in from now on alone.")
        var fromNow = false

        @Option(help: "Who the client is.")
        var label = ""

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp(
                "How long it may come in; absent: as long as it is used, a client a day.", valueName: "duration"))
        var duration: String?

        @Option(
            help: ArgumentHelp("Where the page is served; absent: where it is now, or was last.", valueName: "address"))
        var listen: String?

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let scope = GrantScope(event: event, from: fromNow ? Int64(time(nil)) : nil)
            let isClient = event != nil || fromNow
            let context = try CommandContext(options, invocation)
            let role = try StudioLink.role(role ?? (isClient ? "view" : "admin"))
            let seconds = try duration.map(StudioLink.seconds)
            let grants = GrantStore(state: context.state)
            if let event { await warn(ofUnknown: event, context) }
            let made = try await context.telling { () throws(IngestError) -> (code: String, grant: Grant) in
                try context.makeState()
                let now = Int64(time(nil))
                guard isClient else { return try grants.makeCode(role: role, seconds: seconds, now: now) }
                return try grants.makeLink(
                    role: role, scope: scope, seconds: seconds ?? 86_400, label: label, now: now)
            }
            let known = listen ?? PageAddress.known(grants)
            let start = known.contains("://") ? known : "http://" + known, isServed = PageAddress.isServed(start)
            StudioLink.tell(
                made.grant, secret: ("code", made.code), link: StudioLink.address(start, made.code), isServed: isServed,
                json: options.json, context.console)
            if !options.json { context.console.err(words(of: made.grant, start, isServed: isServed)) }
        }

        /// How long it holds, and what is missing for it.
        private func words(of grant: Grant, _ start: String, isServed: Bool?) -> String {
            let role = grant.role.rawValue, time = duration.map { "for \($0)." } ?? "for as long as it is used."
            let text =
                grant.kind == .link
                ? "It lets clients in to \(role) for \(duration ?? "a day"), then not any more."
                : "It lets one browser in as \(role), once and within five minutes; that may then come in \(time)"
            guard isServed == false else { return text }
            let elsewhere = listen == nil ? " If it is served elsewhere, say where with `--listen`." : ""
            return text
                + "\nNobody serves the page at \(start) now: `filmgate studio` does, or `filmgate run --studio`."
                + elsewhere
        }

        /// It may be one that is yet to come, and one that is misspelt shows a client nothing.
        private func warn(ofUnknown event: String, _ context: CommandContext) async {
            guard let known = try? await StudioEvents(state: context.state).all().map(\.name),
                !known.contains(event)
            else {
                return
            }
            let words =
                "warning: no event `\(Describe.name(event))` is known here yet: until files of it come, the client sees nothing."
            context.console.err(
                words + (nearest(event, among: known).map { " Did you mean `\(Describe.name($0))`?" } ?? ""))
        }
    }

    struct Token: Verb {
        static let configuration = CommandConfiguration(
            commandName: "token", abstract: "Make a token for programs, and for the page without scripts at /plain.",
            discussion: """
                It is told once. Programs send it as a bearer; browsers give it as a password at /plain, with any name.

                EXAMPLE:
                  filmgate studio token --role view --for 12h
                """)

        @Option(help: "What it may do: view, pick, operate or admin.")
        var role = "view"

        @Option(name: .customLong("for"), help: ArgumentHelp("How long it counts, such as 12h.", valueName: "duration"))
        var duration = "12h"

        @Option(help: "What it is for.")
        var label = ""

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation), role = try StudioLink.role(role)
            let seconds = try StudioLink.seconds(duration)
            let grants = GrantStore(state: context.state), label = String(label.prefix(80))
            try await context.telling { () throws(IngestError) in
                try context.makeState()
                let made = try grants.makeToken(role: role, seconds: seconds, label: label, now: Int64(time(nil)))
                StudioLink.tell(
                    made.grant, secret: ("token", made.token), link: nil, isServed: nil, json: options.json,
                    context.console)
            }
        }
    }
}
