import ArgumentParser
import FilmgateCore
import FilmgateLedger
import FilmgateReport

struct MarkCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Say what you think of pictures: stars, picked or rejected, a colour.",
        discussion: """
            What is said counts for all pictures of a shot, before what the camera says, and whoever said it last. Targets with \
            `picks: only` or `unrated: wait` get a picture once it is marked so; a run that goes on sends it at once. What was sent stays sent.

            EXAMPLE:
              filmgate mark --pick --rating 4 /media/ann/CARD/DCIM/100MEDIA/IMG_0007.JPG
              filmgate mark --reject 5f3a9c
              filmgate mark --undo 0c1f…
            """)

    @Argument(
        help: """
            Pictures: a file of each, at its source or at a target, or the beginning of its SHA-256; \
            with --undo what the order told, or how that begins.
            """,
        completion: .file())
    var pictures: [String]

    @Option(help: "Stars, 0 to 5; 0 takes those of the camera away.")
    var rating: Int?

    @Flag(help: "Picked: it is to go out.")
    var pick = false

    @Flag(help: "Rejected: it is not to go out.")
    var reject = false

    @Flag(name: .customLong("no-pick"), help: "Neither picked nor rejected.")
    var noPick = false

    @Option(help: "A colour, 1 to 8: purple, red, orange, yellow, green, turquoise, blue, grey; 0 for none.")
    var colour: Int?

    @Flag(help: "Take back what was said; what somebody said of the same pictures since stays.")
    var undo = false

    @OptionGroup var options: CommonOptions

    func validate() throws {
        let picks = [pick, reject, noPick].count { $0 }
        if picks > 1 { throw ValidationError("Choose one of --pick, --reject and --no-pick.") }
        if let rating, !PictureMark.ratings.contains(rating) {
            throw ValidationError("--rating takes a number from 0 to 5.")
        }
        if let colour, !PictureMark.colours.contains(colour) {
            throw ValidationError("--colour takes a number from 0 to 8.")
        }
        let says = picks > 0 || rating != nil || colour != nil
        if undo, says { throw ValidationError("--undo takes nothing but what the order that is taken back said.") }
        if undo, pictures.count != 1 { throw ValidationError("--undo takes one word: the one that the order told.") }
        if !undo, !says {
            throw ValidationError("Say what to mark: --rating N, --pick, --reject, --no-pick or --colour N.")
        }
        if pictures.isEmpty { throw ValidationError("Name the pictures: files, or their SHA-256.") }
    }

    private var chosen: PictureMark.Pick? { pick ? .picked : reject ? .rejected : noPick ? PictureMark.Pick.none : nil }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), reader = try await context.readLedger(mustExist: true)
        try await context.telling { () async throws(IngestError) in
            let order = try await order(PictureSearch(reader: reader, start: invocation.paths))
            let setting = MarkSetting(state: context.state)
            var next = MarkOrder(order, by: MarkSetting.user), outcome = try await setting.carryOut(next)
            // An order that the page gave in parts is taken back in parts.
            while let rest = outcome.rest {
                next.part = rest
                let more: MarkOutcome
                do throws(IngestError) { more = try await setting.carryOut(next) } catch {
                    throw Self.brokenOff(error, after: outcome.sha256s.count)
                }
                (outcome.revision, outcome.rest) = (more.revision, more.rest)
                outcome.sha256s += more.sha256s
            }
            tell(outcome, try await options.json ? reader.marks(of: outcome.sha256s) : [:], context.console)
            if pick, !options.json { await tellTakenBack(outcome.sha256s, reader, context.console) }
        }
    }

    /// What was taken back so far stays so.
    private static func brokenOff(_ error: IngestError, after count: Int) -> IngestError {
        IngestError(
            error.code,
            "The marks of \(Describe.count(count, "picture")) are what they were before, then it broke off: "
                + error.message, advice: "The same command goes on.")
    }

    private func order(_ search: PictureSearch) async throws(IngestError) -> MarkOrder.Order {
        if undo { return .undo(token: try await UndoSearch(reader: search.reader).token(pictures.first ?? "")) }
        var sha256s: [String] = []
        for name in pictures { sha256s.append(try await search.sha256(name)) }
        return .set(rating: rating, pick: chosen, colour: colour, sha256s: sha256s)
    }

    /// A pick sends nothing where a person took the delivery back: without a word it would be waited for in vain.
    ///
    /// The marks stand whether that can be read or not.
    private func tellTakenBack(_ sha256s: [String], _ reader: any LedgerReader, _ console: Console) async {
        let found = await Result { () async throws(IngestError) in try await Self.takenBack(sha256s, reader) }
        guard case .success(let counts) = found else {
            return console.err("note: what of these was taken back could not be read.")
        }
        for (target, count) in counts.sorted(by: { $0.key < $1.key }) {
            let them = count == 1 ? "it" : "them"
            console.out(
                "note: \(Describe.count(count, "picture")) of these \(count == 1 ? "was" : "were") taken back for "
                    + "\(Describe.name(target)): a pick sends nothing there; `filmgate import --again` of the source "
                    + "orders \(them) anew.")
        }
    }

    /// How many of them, by target.
    private static func takenBack(
        _ sha256s: [String], _ reader: any LedgerReader
    ) async throws(IngestError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for sha256 in sha256s {
            let rows = try await reader.deliveries(of: ContentKey(sha256: sha256))
            for row in rows where row.isCancelled && DeliveryRow.isByHand(row.receipt.reason) {
                counts[row.targetName, default: 0] += 1
            }
        }
        return counts
    }

    private func tell(_ outcome: MarkOutcome, _ marks: [String: PictureMark], _ console: Console) {
        guard options.json else {
            let count = Describe.count(outcome.sha256s.count, "picture")
            guard !undo || !outcome.sha256s.isEmpty else {
                return console.out(
                    "Nothing was left to take back: it was taken back before, or somebody marked the pictures since.")
            }
            let what = undo ? "The marks of \(count) are what they were before." : "\(count) marked."
            return console.out(
                "\(what) `filmgate mark --undo \(outcome.undo)` takes \(undo ? "this undo" : "it") back.")
        }
        for sha256 in outcome.sha256s {
            var line = JSONWriter()
            line.add("type", "mark")
            line.add("sha256", sha256)
            MarkLine.add(marks[sha256] ?? PictureMark(), to: &line)
            console.out(line.finished)
        }
        var line = JSONWriter()
        line.add("type", "marked")
        line.add("revision", Int(outcome.revision))
        line.add("undo", outcome.undo)
        line.add("pictures", outcome.sha256s.count)
        console.out(line.finished)
    }
}
