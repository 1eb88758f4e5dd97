import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FolderTarget

struct VerifyCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Read delivered copies again and compare them with the ledger, or a folder with its ASC MHL manifest.",
        discussion: """
            Without a PATH, copies at remote targets are checked, too: each target is asked, or its copy downloaded and compared. What a target cannot tell is counted
            as unknown.

            With a PATH that has an ASC MHL history (or an MHL 1.1 file) of any program, the files that Filmgate did not deliver are compared
            with that.

            EXAMPLE:
              filmgate verify ~/Pictures/2026
            """)

    @Argument(help: "Only copies below this folder; absent: all.", completion: .directory)
    var path: String?

    @Option(
        help: ArgumentHelp(
            "The pipeline whose remote targets are asked; absent: the targets of earlier runs.", valueName: "file"))
    var pipeline: String?

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let reader = try await context.readLedger()
        let files = path != nil ? [] : pipeline.map { [$0] } ?? PipelineSnapshot(state: context.state).files()
        // What was used before may name a module that is gone since: that hides no other pipeline's targets.
        let pipelines = try files.compactMap {
            try pipeline == nil ? context.loader().load(path: $0).pipeline : context.load($0)
        }
        let prefix = path.map { FileSystem.canonical(invocation.paths.absolute($0)) } ?? ""
        var statistics = VerifyStatistics(json: options.json, context.console)
        let heard = TargetStatements()
        try await context.noting(heard) { () async throws(IngestError) in
            if let path, try FileFacts.of(prefix) == nil { throw IngestError(.notFound, "There is no \(path).") }
            let check = CopyCheck(reader, heard)
            var told: Set<[UInt8]> = []
            let delivered = try await reader.delivered(below: prefix)
            for delivery in delivered {
                guard let path = delivery.receipt.path else { continue }
                told.insert(Array(path.utf8))
                statistics.add(path, .sha256, delivery.receipt.sha256, await check.examine(delivery))
            }
            guard path != nil else {
                let remote = RemoteCheck(try context.proofTargets(pipelines, ledger: reader), reader: reader, heard)
                return await remote.examine(delivered.filter { $0.receipt.path == nil }) { statistics.add($0, $1) }
            }
            for file in try ManifestListing.below(prefix).files where told.insert(Array(file.path.utf8)).inserted {
                let found = await check.examine(file.path, size: file.size, file.algorithm, file.digest)
                statistics.add(file.path, file.algorithm, file.digest, found)
            }
        }
        if statistics.exit == .complete, statistics.checked == 0 {
            // The summary that every verb ends with carries this code, and follows by itself.
            let nothing =
                path.map { "Nothing is known below \($0)." }
                ?? "Nothing was delivered yet: there is no copy to look at."
            throw context.end(
                IngestError(.notFound, nothing, advice: "`filmgate status` tells what waits, and why."))
        }
        statistics.finish()
        if statistics.exit != .complete { throw Exit(statistics.exit) }
    }
}
