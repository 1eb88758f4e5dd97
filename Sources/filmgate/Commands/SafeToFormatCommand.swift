import ArgumentParser
import CardSource
import FileKit
import FilmgateCore
import FilmgateEngine

struct SafeToFormatCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "safe-to-format",
        abstract: "May this card be formatted? Reads every file and every copy; yes only when all is proven.",
        discussion: """
            With --pipeline, remote targets are asked now: whether they know these bytes, or else by reading them back. If one of
            them lacks a file, or holds other bytes, the answer is no. If it cannot answer, its earlier receipt counts only where it named the
            file's digest, and has not denied the file since.

            Where the pipeline has a catalogue, other stations say where they delivered what this one never took. The
            targets that they share are asked, and shared folders are read, from here and now; a word alone proves nothing.

            EXAMPLE:
              filmgate safe-to-format /media/ann/EOS_DIGITAL && echo "format it"
            """)

    @Argument(help: "The card, or the folder that holds its dump.", completion: .directory)
    var path: String

    @Option(help: ArgumentHelp("The pipeline whose remote targets are asked.", valueName: "file"))
    var pipeline: String?

    @Option(
        help:
            "Accept same-device (copies on the card's own device) or filtered (files that a rule left out need no copy)."
    )
    var allow: [AllowRule] = []

    @Option(
        help:
            "How many copies every file needs, each on another device; targets elsewhere count as one; absent: as the pipeline says, without --pipeline the most that one of this state said, or 1."
    )
    var copies: Int?

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if let copies, !(1...9).contains(copies) { throw ValidationError("--copies takes a number from 1 to 9.") }
    }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let reader = try await context.readLedger()
        let pipeline = try pipeline.map { try context.load($0) }
        let allowance = allow.reduce(into: CardProof.Allowance()) { $0.insert($1.allowance) }
        let heard = TargetStatements()
        let report = try await context.noting(heard) { () async throws(IngestError) in
            if invocation.paths.isAddress(path) {
                throw IngestError(
                    .notFound, "A camera cannot be asked whether its card is safe to format.",
                    advice: "Put the card into a reader and give its path.")
            }
            let proofTargets: ProofTargets? =
                if let pipeline { try context.proofTargets([pipeline], ledger: reader) } else { nil }
            var wanted = copies ?? pipeline?.copies ?? 0
            if wanted == 0 { wanted = try PipelineSnapshot(state: context.state).mostCopies() }
            let proof = CardProof(
                reader: reader, proofTargets: proofTargets, allowance: allowance,
                copies: wanted,
                exemptions: .init(isHousekeeping: CardSource.isHousekeeping(path:), disguise: CardSource.disguise(of:)),
                heard: heard)
            let pattern = UserPath.literal(invocation.paths.absolute(path))
            var examination = CardExamination(path: pattern, logger: context.logger)
            if let pipeline, let proofTargets {
                examination.stations = await context.stationProof(pipeline, reader, asking: proofTargets, proof)
            }
            let examined = await Result { () async throws(IngestError) in try await examination.run(proof) }
            await examination.stations?.close()
            var report = try examined.get()
            report.unheard = proofTargets?.unheard ?? []
            return report
        }
        if options.json {
            report.printJSON(to: context.console)
        } else {
            report.printText(to: context.console, all: options.verbose > 0)
        }
        throw Exit(report.isSafe ? .complete : .notProven)
    }
}

enum AllowRule: String, ExpressibleByArgument, CaseIterable {
    case sameDevice = "same-device", filtered
    var allowance: CardProof.Allowance { self == .sameDevice ? .sameDevice : .filtered }
}
