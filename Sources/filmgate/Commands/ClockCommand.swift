import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct ClockCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Measure how wrong a camera's clock is, from a photo of a clock or one moment shot with two bodies.",
        discussion: """
            The offset holds for the body with that serial number, in every pipeline, from the next run or reload on; a profile in the \
            pipeline for that serial wins. It is added to the camera's time for names, order and selection. Files are never changed.

            EXAMPLE:
              filmgate clock IMG_0001.CR3 --shows "2026-11-21 14:03:27"
              filmgate clock --paired IMG_0001.CR3 DSC_0001.NEF
              filmgate clock
            """)

    @Argument(help: "A photo of a clock. Without one, the measured clocks are listed.", completion: .file())
    var photo: String?

    @Option(
        help: ArgumentHelp(
            "What the clock in the photo shows; with the time alone, the nearest day is meant.", valueName: "time"))
    var shows: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Two photos of one moment: the first body's clock is right (as corrected), the second is measured.",
            valueName: "photo"))
    var paired: [String] = []

    @Option(help: ArgumentHelp("Delete the offset of this body.", valueName: "serial"))
    var forget: String?

    @Flag(help: "Only print the result; store nothing.")
    var dryRun = false

    @Flag(help: "Accept an offset of more than 26 hours, such as that of a clock whose battery was empty.")
    var force = false

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if let shows, ShownTime(shows) == nil {
            throw ValidationError("--shows takes a time such as \"2026-11-21 14:03:27\" or 14:03:27.")
        }
        if (photo == nil) != (shows == nil) {
            throw ValidationError("A photo of a clock goes with --shows and what the clock shows.")
        }
        if !paired.isEmpty, paired.count != 2 || photo != nil {
            throw ValidationError("--paired takes two photos and nothing else.")
        }
    }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), clocks = MeasuredClocks(state: context.state)
        try await context.telling { () async throws(IngestError) in
            if let forget { return try letGo(of: forget, clocks) }
            if let photo, let shown = shows.flatMap(ShownTime.init) {
                let facts = try await read(photo, context)
                let offset = ClockOffset(seconds: shown.offset(from: facts.time))
                try believe(
                    offset, "Is the \(shown.suspect(beside: facts.time) ?? "date") right? The photo says \(facts.time)."
                )
                try keep(facts, offset, clocks, context)
            } else if paired.count == 2 {
                let right = try await read(paired[0], context), wrong = try await read(paired[1], context)
                if right.serial == wrong.serial {
                    throw IngestError(
                        .misconfigured, "Both photos are from the body \(right.serial).",
                        advice: "Give one of each body.")
                }
                let known = try clocks.entries().first { $0.serial == right.serial }?.offset.seconds ?? 0
                let offset = ClockOffset(seconds: right.time.civilSeconds + known - wrong.time.civilSeconds)
                try believe(offset, "Are both of the same moment? They say \(right.time) and \(wrong.time).")
                try keep(wrong, offset, clocks, context)
            } else {
                for entry in try clocks.entries() { tell(entry, context.console) }
                return
            }
        }
        guard !dryRun, photo != nil || forget != nil || !paired.isEmpty else { return }
        await AccountChoices(context: context).follow(try EventsCommand.pipelines(nil, context), chosen: .clocks)
    }

    /// Names and order of all that the body shot would follow a slip of the fingers.
    private func believe(_ offset: ClockOffset, _ question: String) throws(IngestError) {
        guard offset.isUnusual, !force else { return }
        let (size, days) = (offset.shown ?? "", offset.seconds.magnitude / 86_400)
        throw IngestError(
            .misconfigured,
            "The offset would be \(size), \(Describe.count(Int(days), "day")); nothing was written down.",
            advice: "\(question) If it is so, say --force.")
    }

    private func letGo(of serial: String, _ clocks: MeasuredClocks) throws(IngestError) {
        guard try clocks.entries().contains(where: { $0.serial == serial }) else {
            throw IngestError(
                .misconfigured, "No clock was measured for the body \(serial).",
                advice: "`filmgate clock` lists those that were.")
        }
        if !dryRun { try clocks.set(serial, nil) }
    }

    private struct Facts { var serial: String, model: String, time: CivilTime }

    private func read(_ path: String, _ context: CommandContext) async throws(IngestError) -> Facts {
        let found = FirstAsset(), pattern = UserPath.literal(context.invocation.paths.absolute(path))
        _ = try await Inspection(paths: [pattern], logger: context.logger).run { asset, _ in found.note(asset) }
        guard let media = found.first?.media, let time = media.captured else {
            throw IngestError(.notFound, "\(path) does not say when it was taken.")
        }
        guard let serial = media.serial, !serial.isEmpty else {
            throw IngestError(
                .rejected, "\(path) does not say which body took it, so its clock cannot be told from others.",
                advice: "Write `clock_offset` into a profile that matches its make and model.")
        }
        return Facts(serial: serial, model: media.model ?? "", time: time)
    }

    private func keep(
        _ facts: Facts, _ offset: ClockOffset, _ clocks: MeasuredClocks, _ context: CommandContext
    ) throws(IngestError) {
        let entry = MeasuredClocks.Entry(serial: facts.serial, offset: offset, note: facts.model)
        if !dryRun {
            try context.makeState()
            try clocks.set(facts.serial, entry)
        }
        tell(entry, context.console, camera: facts.time)
    }

    private func tell(_ entry: MeasuredClocks.Entry, _ console: Console, camera: CivilTime? = nil) {
        guard options.json else {
            let name = [entry.note, "#" + entry.serial].filter { !$0.isEmpty }.joined(separator: " ")
            console.out(
                Describe.name(
                    "\(name): \(Self.words(entry.offset.seconds)); clock_offset: \"\(entry.offset.shown ?? "")\""))
            return
        }
        var line = JSONWriter()
        line.add("type", "clock")
        line.add("serial", entry.serial)
        line.add("model", entry.note.isEmpty ? nil : entry.note)
        line.add("clock_offset", entry.offset.shown)
        line.add("seconds", Int(entry.offset.seconds))
        line.add("captured_camera", camera?.description)
        line.add("captured", camera?.adding(seconds: entry.offset.seconds)?.description)
        console.out(line.finished)
    }

    private static func words(_ seconds: Int64) -> String {
        seconds == 0
            ? "its clock is right"
            : "its clock is \(Describe.duration(Double(seconds.magnitude))) \(seconds > 0 ? "slow" : "fast")"
    }
}
