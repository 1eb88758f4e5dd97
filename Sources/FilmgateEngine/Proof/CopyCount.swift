import FilmgateCore

/// The copies of one file that prove it, counted while they are looked at.
struct CopyCount {
    /// The file on the card, and who looks at its copies.
    struct Question {
        let check: DeliveryCheck
        let entry: SourceEntry, path: String, digests: Digests

        func ask(about delivery: DeliveryRow) async -> CardProof.Verdict? {
            await check.check(delivery, entry, path, digests)
        }

        /// Stamped copies hold the picture, but not the file that the camera wrote; a merged sidecar holds all that the
        /// card's said.
        func isOriginal(_ delivery: DeliveryRow) -> Bool { entry.kind == .sidecar || !delivery.holdsRendition }
    }
    private let question: Question, copies: Int
    private var places = CopyPlaces(), holdsOriginal: Bool
    /// The same with copies on the card's own device, which count once somebody allows that.
    private var allowed = CopyPlaces()
    /// What is said of a copy in memory: it is there as ordered, and counts nowhere.
    private var inMemory: CardProof.Verdict?
    /// Targets that nobody asked for here, and whose earlier word counts.
    private(set) var believed: [String] = []
    /// Targets whose copies were ordered and prove the file.
    private(set) var holders: [String] = []
    /// Why the first copy that nobody asked for here was not counted.
    private(set) var doubt: CardProof.Verdict?

    /// `copies`: on how many places the file must be.
    init(_ question: Question, copies: Int) {
        (self.question, self.copies, holdsOriginal) = (question, copies, question.entry.kind == .sidecar)
    }

    /// What other stations delivered are the card's own bytes.
    mutating func add(_ copy: StationLook.Copy) async {
        await count(copy.row)
    }

    /// Looks at a copy that was ordered: nil where it proves the file now, `proven` where its target's earlier word
    /// does, and else why the file is not proven.
    mutating func add(ordered delivery: DeliveryRow) async -> CardProof.Verdict? {
        let verdict = await question.ask(about: delivery)
        if case .problem(_, .copyToDisk)? = verdict {
            inMemory = verdict
            return nil
        }
        guard Self.isGood(verdict) else {
            await noteOnCard(delivery, verdict)
            return verdict
        }
        holders.append(delivery.targetName)
        if question.isOriginal(delivery) { await count(delivery) }
        return verdict
    }

    /// Why all copies that were ordered do not prove the file, whatever else there is of it.
    var problemWithOrdered: CardProof.Verdict? {
        holdsOriginal || inMemory != nil
            ? nil : .problem("only stamped copies were delivered, the original nowhere", .copyToFolder)
    }

    /// Looks at a copy that nobody asks for here, where too few were counted: false where it was not counted.
    mutating func add(further delivery: DeliveryRow) async -> Bool {
        guard places.count < copies, question.isOriginal(delivery) else { return false }
        let verdict = await question.ask(about: delivery)
        guard Self.isGood(verdict) else {
            await noteOnCard(delivery, verdict)
            doubt = doubt ?? verdict
            return false
        }
        if verdict == .proven { believed.append(delivery.targetName) }
        await count(delivery)
        return true
    }

    private mutating func count(_ delivery: DeliveryRow) async {
        await question.check.count(delivery, in: &places, of: copies)
        await question.check.count(delivery, in: &allowed, of: copies)
        holdsOriginal = true
    }

    private mutating func noteOnCard(_ delivery: DeliveryRow, _ verdict: CardProof.Verdict?) async {
        guard case .problem(_, .allowSameDevice)? = verdict, question.isOriginal(delivery) else { return }
        await question.check.count(delivery, in: &allowed, of: copies)
    }

    /// The verdict, with how many copies are missing behind it: who ends that by its advice is not to meet the next no.
    ///
    /// `further`: copies that nobody asks for here; they are looked at only where that is the question.
    mutating func told(
        _ verdict: CardProof.Verdict, _ further: [DeliveryRow], in finding: inout CardProof.Finding
    ) async -> CardProof.Verdict {
        switch verdict {
        case .problem(_, .copyElsewhere), .problem(_, .copyToDisk): finding.lacks = max(0, copies - places.count)
        case .problem(_, .allowSameDevice) where copies > 1:
            for one in further { _ = await add(further: one) }
            finding.lacks = max(0, copies - allowed.count)
        default: break
        }
        return verdict
    }

    var verdict: CardProof.Verdict {
        let isEnough = places.count >= copies && holdsOriginal
        if let inMemory, !isEnough { return inMemory }
        return isEnough ? .proven : .problem(places.tooFew(of: copies), .copyElsewhere)
    }

    private static func isGood(_ verdict: CardProof.Verdict?) -> Bool { verdict == nil || verdict == .proven }
}
