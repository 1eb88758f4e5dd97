import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine

struct CancelCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Take back what waits, is held or was refused for a target.",
        discussion: """
            Says which files, and asks, unless --yes is given. What is taken back counts as filtered at that target, never as delivered;
            `import --again` orders it anew. A file that was set aside and is gone from its source is taken off the list of `status`; if it
            comes again, it is read as new. Its card must be there for that, or its folder. A target is named as in the pipeline file, or by its address or folder as `status` shows it.

            With --gone and files, says that their copies were removed on purpose: safe-to-format misses them no more, and only
            `import --again` brings them back. Copies that are there are left alone.

            EXAMPLE:
              filmgate cancel --target http://127.0.0.1:23999/api/assets
              filmgate cancel --target gallery /media/ann/CARD/DCIM/100MEDIA/IMG_0007.JPG
              filmgate cancel --target /mnt/old-disk --gone
              filmgate cancel --gone /media/ann/CARD/DCIM/100MEDIA/IMG_0009.JPG
            """)

    @Argument(
        help:
            "Only these files: by their path on the card, a folder of it, their name, or the beginning of their SHA-256.",
        completion: .file())
    var files: [String] = []

    @Option(help: "Only this target: its name, address or folder.")
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The pipeline whose names of targets count; absent: those of earlier runs.", valueName: "file"),
        completion: .file())
    var pipeline: String?

    @Flag(
        help:
            "The place itself is gone, or, with files, their copies were removed on purpose: they count as copies no more."
    )
    var gone = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if target == nil, files.isEmpty {
            throw ValidationError("Say what to take back: --target NAME, files, or both.")
        }
    }

    private var meaning: Cancellation.Meaning { !gone ? .takenBack : files.isEmpty ? .placeGone : .copiesRemoved }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), reader = try await context.readLedger()
        var order = self
        if let target {
            let totals = try await context.telling { () async throws(IngestError) in try await reader.totals() }
            let known = totals.targets.map { (name: $0.name, identity: $0.identity) }
            order.target = try PresentNames(context: context, pipeline: pipeline).meant(target, among: known)
        }
        try await order.takeBack(context, reader, called: target)
    }

    /// `called`: the target as the user named it.
    private func takeBack(_ context: CommandContext, _ reader: any LedgerReader, called: String?) async throws {
        let orders = try await context.telling { () async throws(IngestError) in
            try await Cancellation(reader).orders(gone: gone)
        }
        let start = context.invocation.paths, job = context.invocation.job
        let paths = try gone ? paths(context) : OrderChoice.paths(files, from: start, among: orders, at: target)
        try await refuseUnknown(paths, orders, reader, context)
        let noted = try await notedDisks(reader, context), disks = disksGone(orders, among: noted, start)
        if let target, !disks.isEmpty,
            !orders.contains(where: { OrderChoice.isMeant($0.delivery, by: target, from: start) })
        {
            return try await giveUp(disks, context)
        }
        var choice = OrderChoice(target: target, files: paths, start: start)
        (choice.noted, choice.called) = (noted, called)
        var chosen = try choice.choose(orders)
        if meaning == .copiesRemoved {
            let meant = chosen
            chosen = try await context.telling { () async throws(IngestError) in
                try await removed(meant, reader, paths)
            }
        }
        if meaning == .placeGone { try await context.telling { () throws(IngestError) in try refusePresent(chosen) } }
        if chosen.isEmpty {
            if let target {
                try await refuseUnknown(target, called: called ?? target, reader, noted, context)
            }
            return try await dismissVanished(context, reader)
        }
        // Whoever hands the job to a run has asked already.
        if job == nil { try ask(chosen, context.console) }
        let writer = try await context.openLedger()
        var left = 0
        try await context.telling { () async throws(IngestError) in
            try await Cancellation(writer, named: paths).carryOut(
                chosen, meaning, writer, job?.services.leases ?? DeliveryLeases()
            ) {
                order, outcome in
                if outcome == .underWay { left += 1 }
                tell(order, outcome, context.console)
            }
            if !disks.isEmpty { try await Cancellation(writer).giveUpDisks(of: disks, writer) }
        }
        context.close(writer)
        let many = Describe.count(chosen.count - left, "delivery", "deliveries")
        say(
            left == 0 ? "\(many) taken back." : "\(many) taken back, \(left) being sent just now or already there.",
            chosen, context.console, left: left)
        throw Exit(left == 0 ? .complete : .notProven)
    }

    /// Whose disks are noted, where a target is said to be gone as a whole.
    private func notedDisks(_ reader: any LedgerReader, _ context: CommandContext) async throws -> [TargetDisk] {
        guard meaning == .placeGone, target != nil else { return [] }
        return try await context.telling { () async throws(IngestError) in try await reader.disks(ofTargets: "") }
    }

    /// Those of the target that is gone: by its folder, and by its name where that stands for one only.
    private func disksGone(
        _ orders: [QueuedDelivery], among all: [TargetDisk], _ start: UserPath
    ) -> [TargetDisk] {
        guard let target else { return [] }
        let named = all.filter { $0.name == target }
        if !named.isEmpty {
            let meant = Set(orders.filter { $0.delivery.targetName == target }.map(\.delivery.target))
            return named.filter { meant.isEmpty ? named.count == 1 : meant.contains($0.identity) }
        }
        return all.filter { OrderChoice.isMeant($0.identity, "", by: target, from: start) }
    }

    /// Nothing was delivered there, but a run waits for the disk.
    private func giveUp(_ disks: [TargetDisk], _ context: CommandContext) async throws {
        for disk in disks {
            context.console.err("nothing was delivered to \(Describe.name(TargetLabel.place(of: disk.identity)))")
        }
        if context.invocation.job == nil {
            try confirm("Give up its disk? Nothing need be mounted there then [y/N]", context.console)
        }
        let writer = try await context.openLedger()
        try await context.telling { () async throws(IngestError) in
            try await Cancellation(writer).giveUpDisks(of: disks, writer)
        }
        context.close(writer)
        say("Its disk is given up: what comes next goes to the folder that is there.", [], context.console)
    }

    /// Ends the verb for a target that the ledger does not know, by any of its names.
    ///
    /// Where one is said to be gone, the folders of `noted` are known, too, though nothing was delivered there.
    private func refuseUnknown(
        _ target: String, called: String, _ reader: any LedgerReader, _ noted: [TargetDisk], _ context: CommandContext
    ) async throws {
        let totals = try await context.telling { () async throws(IngestError) in try await reader.totals() }
        let isKnown = totals.targets.contains { known in
            let place = TargetLabel.place(of: known.identity)
            return [known.name, known.identity, place].contains(target) || place.hasPrefix(target + ":")
        }
        if isKnown { return }
        let places = noted.map { TargetLabel.place(of: $0.identity) }
        let names = Set(totals.targets.map(\.name) + places).sorted()
        let hint = nearest(called, among: names).map { " Did you mean `\($0)`?" } ?? ""
        let list = names.isEmpty ? "none is known yet" : "known: \(names.map(Describe.name).joined(separator: ", "))"
        throw ValidationError("There is no target called `\(called)`; \(list).\(hint)")
    }

    /// Ends the verb for a file that is not there and that no source ever had: it is mistyped, and "nothing waits"
    /// would pass for done.
    private func refuseUnknown(
        _ paths: [String], _ orders: [QueuedDelivery], _ reader: any LedgerReader, _ context: CommandContext
    ) async throws {
        for path in paths where !OrderChoice.isDigest(path) {
            if OrderChoice.isKnown(path, among: orders) { continue }
            let isKnown = try await context.telling { () async throws(IngestError) in
                if try FileFacts.of(path) != nil { return true }
                for root in sequence(first: path, next: { $0 == "/" || $0.isEmpty ? nil : Paths.folder($0) }) {
                    let rows = try await reader.assets(AssetFilter(root: root, limit: .max))
                    if rows.contains(where: { Paths.relative($0.origin.absolutePath, to: path) != nil }) { return true }
                }
                return false
            }
            if isKnown { continue }
            let known = orders.flatMap { [$0.asset.origin.absolutePath, $0.delivery.receipt.path ?? ""] }
            let hint = PathHint(known).words(for: path) ?? ""
            throw ValidationError("No file \(Describe.name(path)) is known, and none is there.\(hint) \(Self.naming)")
        }
    }

    /// Files that were set aside and are gone from their source wait for nothing; named by their path, they are
    /// forgotten.
    private func dismissVanished(_ context: CommandContext, _ reader: any LedgerReader) async throws {
        let filter = AssetFilter(endings: [.setAside], limit: 100_000)
        let paths = paths(context), console = context.console
        guard target == nil, !gone else { return say(nothing, [], console) }
        let aside = try await context.telling { () async throws(IngestError) in try await reader.assets(filter) }
        let rows = aside.filter { row in paths.contains { Paths.relative(row.origin.absolutePath, to: $0) != nil } }
        let found = try await context.telling { () async throws(IngestError) in
            try await Cancellation(reader).vanished(among: rows)
        }
        let vanished = found.gone
        if vanished.isEmpty { return say(rows.isEmpty ? nothing : whyNoneVanished(found), [], console) }
        if context.invocation.job == nil { try askToForget(vanished, console) }
        let writer = try await context.openLedger()
        try await context.telling { () async throws(IngestError) in
            try await Cancellation(writer).dismiss(vanished, writer)
        }
        context.close(writer)
        if options.json {
            let summary = RunSummary(counts: [.filtered: vanished.count])
            return console.out(SummaryLine.json(RunOutcome(summary: summary), exit: .complete))
        }
        console.out("\(Describe.count(vanished.count, "file")) taken off the list of what was set aside.")
    }

    private func whyNoneVanished(_ found: Cancellation.Vanished) -> String {
        guard let away = found.away.first else {
            return "Nothing waits there, and what was set aside there is still at its source."
        }
        return
            "Nothing waits there, and what \(Describe.name(away.origin.absolutePath)) came from is not here: a file is taken back only where "
            + "one can see that its card or folder has it no more. Insert or mount that, and say it again."
    }

    /// Why there is nothing to do, and how files are named.
    private var nothing: String {
        guard let first = files.first else { return gone ? "No copy there is known." : "Nothing waits there." }
        let which = files.count == 1 ? Describe.name(first) : "\(Describe.name(first)) or what is named beside it"
        return (gone ? "No copy of \(which) is known" : "Nothing of \(which) waits") + (target == nil ? "." : " there.")
            + " " + Self.naming
    }

    private static let naming =
        "Files are named by their path at their source, by their name where they wait, or by the first six digits or more of their SHA-256."

    private func askToForget(_ rows: [AssetRow], _ console: Console) throws {
        for row in rows.prefix(10) {
            console.err("set aside, and not at its source as it was: \(Describe.name(row.origin.absolutePath))")
        }
        if rows.count > 10 { console.err("and \(rows.count - 10) more") }
        try confirm("Take these back? They are listed no more [y/N]", console)
    }

    /// A digest stays as it is.
    private func paths(_ context: CommandContext) -> [String] {
        files.map { OrderChoice.isDigest($0) ? $0 : context.invocation.paths.recorded($0) }
    }

    /// Copies that are there count: only a place that is gone can be retired.
    private func refusePresent(_ orders: [QueuedDelivery]) throws(IngestError) {
        for order in orders {
            guard let path = order.delivery.receipt.path, try FileFacts.of(path) != nil else { continue }
            throw IngestError(
                .misconfigured, "\(Describe.name(path)) is still there, so the place is not gone.",
                advice: "A copy that is there counts. Without --gone, only what waits is taken back.")
        }
    }

    /// Of what was delivered, only what is not there any more.
    private func removed(
        _ orders: [QueuedDelivery], _ reader: any LedgerReader, _ paths: [String]
    ) async throws(IngestError) -> [QueuedDelivery] {
        let lost = await Cancellation(reader, named: paths).lost(orders)
        let delivered = orders.map(\.delivery).filter { $0.receipt.state == .done }
        guard lost.isEmpty, let first = delivered.first else { return lost }
        if let away = delivered.first(where: \.isMissing) {
            let root = Describe.name(away.folderRoot ?? away.receipt.path ?? away.path)
            let isThere = (try? FileFacts.of(away.folderRoot ?? ""))?.kind == .directory
            let way = isThere ? "`filmgate cancel --gone '\(root)'`" : "`filmgate cancel --target '\(root)' --gone`"
            throw IngestError(
                .misconfigured,
                "\(root) may be away as a whole, and its copies with it: it is gone, empty, or on another disk than it was.",
                advice: "Mount its disk and say it again. If all of it was removed for good: \(way).")
        }
        let copy = first.receipt.path ?? first.receipt.url ?? first.path
        throw IngestError(
            .misconfigured, "\(Describe.name(first.targetName)) is not known to lack \(Describe.name(copy)).",
            advice: first.receipt.path == nil
                ? "A server is asked by `filmgate safe-to-format CARD --pipeline FILE`."
                : "The copy is there, and counts: there is nothing to take back.")
    }

    private func ask(_ orders: [QueuedDelivery], _ console: Console) throws {
        for line in OrderList(orders, all: options.verbose > 0).lines { console.err(line) }
        switch meaning {
        case .takenBack: try confirm("Take these back? They are not delivered there then [y/N]", console)
        case .placeGone: try confirm("Retire this place? Its copies count no more [y/N]", console)
        case .copiesRemoved: try confirm("Were these removed on purpose? They are missed no more [y/N]", console)
        }
    }

    private func confirm(_ question: String, _ console: Console) throws {
        if yes { return }
        guard Terminal.isThere else {
            throw ValidationError("There is no terminal to ask at: add --yes to take these back.")
        }
        let answer = Terminal.line(question, hidden: false)?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            console.err("Nothing was changed.")
            throw Exit(.complete)
        }
    }

    private func tell(_ order: QueuedDelivery, _ outcome: Cancellation.Outcome, _ console: Console) {
        let delivery = order.delivery, path = order.asset.origin.absolutePath
        guard options.json else {
            switch outcome {
            case .cancelled: break
            case .underWay:
                console.err(
                    "being sent just now or already there, not taken back: \(Describe.name(path)) to \(Describe.name(delivery.targetName))"
                )
            case .kept(let file):
                console.err("nowhere else, so its bytes stay in \(Describe.name(file)): \(Describe.name(path))")
            }
            return
        }
        var line = JSONWriter()
        line.add("type", "item")
        line.add("source", order.asset.origin.root)
        line.add("path", order.asset.origin.path)
        line.add("target", delivery.targetName)
        line.add("identity", delivery.target)
        line.add("was", delivery.receipt.state.rawValue)
        line.add("state", outcome == .underWay ? delivery.receipt.state.rawValue : Receipt.State.excluded.rawValue)
        if case .kept(let file) = outcome { line.add("file", file) }
        line.add("sha256", delivery.content.sha256)
        console.out(line.finished)
    }

    private func say(_ words: String, _ orders: [QueuedDelivery], _ console: Console, left: Int = 0) {
        guard options.json else { return console.out(words) }
        // The page shows what a job said last: else that would be a line of the list.
        console.err(words)
        let summary = RunSummary(counts: [.filtered: orders.count - left, .pending: left])
        console.out(SummaryLine.json(RunOutcome(summary: summary), exit: left == 0 ? .complete : .notProven))
    }
}
