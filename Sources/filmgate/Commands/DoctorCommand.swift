import ArgumentParser
import CardSource
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Glibc
import Logging

struct DoctorCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Look for what would go wrong: state, ledger, disk, clock, cards, cameras, a pipeline's targets and catalogue.",
        discussion: """
            EXAMPLE:
              filmgate doctor --pipeline wedding.yaml
            """)

    @Option(help: ArgumentHelp("Also look at this pipeline's folders and secrets.", valueName: "file"))
    var pipeline: String?

    @Flag(help: "Print the udev rules that let this user open cameras, and do nothing else.")
    var udevRules = false

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        if udevRules { return invocation.console.out(UdevRules.text) }
        let context = try CommandContext(options, invocation)
        var report = DoctorReport(json: options.json, context.console)
        await state(context.state, &report)
        clock(&report)
        await cards(context.logger, &report)
        CameraCheckup().run(&report)
        var plan: Plan?, named: PipelineFile?
        if let pipeline {
            let file = try context.load(pipeline)
            named = file
            plan = try await context.telling { () throws(IngestError) in try context.builder(ledger: nil).plan(file) }
        }
        await staging(context.state, plan?.connections.compactMap { $0.target.traits.localRoot } ?? [], &report)
        if let plan { await check(plan, &report) }
        await CatalogCheckup(context: context).run(named, &report)
        if report.problems > 0 { throw Exit(.failure) }
    }

    private func state(_ directory: String, _ report: inout DoctorReport) async {
        do throws(IngestError) { try StateAccess(directory, options).check(mustExist: false) } catch {
            return report.note(false, "state", "", error.description)
        }
        guard let facts = try? FileFacts.of(directory) else {
            return report.note(
                FileSystem.isWritable(directory), "state", "\(directory) does not exist yet",
                "It cannot be created there; use --state.")
        }
        report.note(
            facts.mode & 0o077 == 0, "state", "\(directory) is private", "Others may read it: chmod 700 \(directory)")
        let free = (try? FileSystem.freeBytes(directory)) ?? 0
        report.note(
            free > 1 << 30, "disk", "\(Describe.bytes(free)) free for the spool",
            "Less than 1 GiB is free for the spool.")
        do throws(IngestError) {
            let problems = try await SQLiteLedger.integrityCheck(directory: directory)
            report.note(problems.isEmpty, "ledger", "the ledger is sound", problems.joined(separator: "; "))
        } catch { report.note(false, "ledger", "", error.description) }
    }

    private func clock(_ report: inout DoctorReport) {
        let now = time(nil)
        report.note(
            now > 1_750_000_000, "clock", "the clock is set",
            "The clock says a time long past: names and token lifetimes will be wrong.")
    }

    private func cards(_ logger: Logger, _ report: inout DoctorReport) async {
        guard
            let card = try? CardSource(
                CardSource.Config(), ModuleContext(name: "card", logger: logger, state: "")),
            let places = try? await card.places()
        else { return }
        for place in places {
            let readable = withCPath(place.address) { access($0, R_OK | X_OK) } == 0
            report.note(
                readable, "card", "\(place.label) at \(place.address)", "\(place.address) cannot be read by this user.")
        }
        if places.isEmpty { report.note(true, "card", "no card is mounted", "") }
    }

    /// Frames that were read and that nothing waits for any more.
    private func staging(_ state: String, _ roots: [String], _ report: inout DoctorReport) async {
        guard (try? FileFacts.of(state)) != nil else { return }
        do throws(IngestError) {
            let ledger = try SQLiteLedger.reader(directory: state)
            for orphans in try await StagedOrphans.look(state: state, roots: roots, ledger) {
                for (good, text) in try await orphans.findings(ledger) { report.note(good, "staging", text, text) }
            }
            guard StateHolder(directory: state) == nil else { return }
            for missing in try await MissingBytes.look(state: state, roots: roots, ledger) {
                report.note(false, "staging", "", missing.finding)
            }
        } catch { report.note(false, "staging", "", error.description) }
    }

    private func check(_ plan: Plan, _ report: inout DoctorReport) async {
        for (name, target) in plan.connections {
            let result = await Result { () async throws(IngestError) in try await target.check() }
            switch result {
            case .success: report.note(true, name, "reachable", "")
            case .failure(let error): report.note(false, name, "", error.description)
            }
        }
    }
}

/// What `doctor` found, line by line.
struct DoctorReport {
    let json: Bool, console: Console
    private(set) var problems = 0

    init(json: Bool, _ console: Console) { (self.json, self.console) = (json, console) }

    mutating func note(_ good: Bool, _ subject: String, _ fine: String, _ problem: String) {
        if !good { problems += 1 }
        if json {
            var line = JSONWriter()
            line.add("type", "finding")
            line.add("subject", subject)
            line.add("good", good)
            line.add("message", good ? fine : problem)
            console.out(line.finished)
        } else {
            console.out("\(good ? "ok     " : "PROBLEM") \(subject): \(Describe.name(good ? fine : problem))")
        }
    }
}
