import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Take back what waits, is held or was refused for a target.",
        discussion: """
            Says which files, and asks, unless --yes is given. What is taken back counts as filtered at that target, never as delivered;
            `import --again` orders it anew. A target is named as in the pipeline file, or by its address or folder as `status` shows it.

            With --gone and files, says that their copies were removed on purpose: safe-to-format misses them no more, and no import brings
            them back. Copies that are there are left alone.

            EXAMPLE:
              filmgate cancel --target http://127.0.0.1:23999/api/assets
              filmgate cancel --target gallery /media/ann/CARD/DCIM/100MEDIA/IMG_0007.JPG
              filmgate cancel --target /mnt/old-disk --gone
              filmgate cancel --gone /media/ann/CARD/DCIM/100MEDIA/IMG_0009.JPG
            """)

    @Argument(help: "Only these files: by their path on the card, a folder of it, or their SHA-256.", completion: .file())
    var files: [String] = []

    @Option(help: "Only this target: its name, address or folder.")
    var target: String?

    @Flag(
        help: "The place itself is gone, or, with files, their copies were removed on purpose: they count as copies no more."
    )
    var gone = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if target == nil, files.isEmpty { throw ValidationError("Say what to take back: --target NAME, files, or both.") }
    }

    private var meaning: Cancellation.Meaning { !gone ? .takenBack : files.isEmpty ? .placeGone : .copiesRemoved }

    func run() async throws {
        let workplace = try Workplace(options)
        let reader = try await workplace.readLedger()
        let orders = try await workplace.telling { () async throws(IngestError) in try await Cancellation(reader).orders(gone: gone) }
        var chosen = try OrderChoice(target: target, files: files.map(Self.path)).choose(orders)
        if meaning == .copiesRemoved { chosen = try await workplace.telling { () throws(IngestError) in try removed(chosen) } }
        if meaning == .placeGone { try await workplace.telling { () throws(IngestError) in try refusePresent(chosen) } }
        if chosen.isEmpty { return say("Nothing waits there.", chosen) }
        // Whoever hands the job to a run has asked already.
        if Living.ledger == nil { try ask(chosen) }
        let writer = try await workplace.openLedger()
        var left = 0
        try await workplace.telling { () async throws(IngestError) in
            try await Cancellation(writer).carryOut(chosen, meaning, writer, Living.leases ?? DeliveryLeases()) { order, outcome in
                if outcome == .underWay { left += 1 }
                tell(order, outcome)
            }
        }
        workplace.close(writer)
        let many = Describe.count(chosen.count - left, "delivery", "deliveries")
        say(left == 0 ? "\(many) taken back." : "\(many) taken back, \(left) being sent just now or already there.", chosen, left)
        throw Exit(left == 0 ? .complete : .notProven)
    }

    /// A digest stays as it is.
    private static func path(_ file: String) -> String {
        file.utf8.count == 64
            && file.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 })
            ? file : FileSystem.canonical(UserPath.absolute(file))
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
    private func removed(_ orders: [QueuedDelivery]) throws(IngestError) -> [QueuedDelivery] {
        let lost = Cancellation.lost(orders)
        if lost.isEmpty, let first = orders.first(where: { $0.delivery.receipt.state == .done }) {
            let copy = first.delivery.receipt.path ?? first.delivery.receipt.url ?? first.delivery.path
            throw IngestError(
                .misconfigured, "\(Describe.name(first.delivery.targetName)) is not known to lack \(Describe.name(copy)).",
                advice: "Remove the copy there first. A folder must be there to be looked into; a server is asked by "
                    + "`filmgate safe-to-format CARD --pipeline FILE`.")
        }
        return lost
    }

    private func ask(_ orders: [QueuedDelivery]) throws {
        for line in OrderList(orders, all: options.verbose > 0).lines { Console.err(line) }
        if yes { return }
        guard Terminal.isThere else { throw ValidationError("There is no terminal to ask at: add --yes to take these back.") }
        let question =
            switch meaning {
            case .takenBack: "Take these back? They are not delivered there then [y/N]"
            case .placeGone: "Retire this place? Its copies count no more [y/N]"
            case .copiesRemoved: "Were these removed on purpose? They are missed no more [y/N]"
            }
        let answer = Terminal.line(question, hidden: false)?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            Console.err("Nothing was changed.")
            throw Exit(.complete)
        }
    }

    private func tell(_ order: QueuedDelivery, _ outcome: Cancellation.Outcome) {
        let delivery = order.delivery, path = order.asset.origin.absolutePath
        guard options.json else {
            switch outcome {
            case .cancelled: break
            case .underWay:
                Console.err(
                    "being sent just now or already there, not taken back: \(Describe.name(path)) to \(Describe.name(delivery.targetName))")
            case .kept(let file): Console.err("nowhere else, so its bytes stay in \(Describe.name(file)): \(Describe.name(path))")
            }
            return
        }
        var line = JSONObject()
        line.add("type", "item")
        line.add("source", order.asset.origin.root)
        line.add("path", order.asset.origin.path)
        line.add("target", delivery.targetName)
        line.add("identity", delivery.target)
        line.add("was", delivery.receipt.state.rawValue)
        line.add("state", outcome == .underWay ? delivery.receipt.state.rawValue : Receipt.State.excluded.rawValue)
        if case .kept(let file) = outcome { line.add("file", file) }
        line.add("sha256", delivery.content.sha256)
        Console.out(line.finished)
    }

    private func say(_ words: String, _ orders: [QueuedDelivery], _ left: Int = 0) {
        guard options.json else { return Console.out(words) }
        let summary = RunSummary(counts: [.filtered: orders.count - left, .pending: left])
        Console.out(SummaryLine.json(RunOutcome(summary: summary), exit: left == 0 ? .complete : .notProven))
    }
}
