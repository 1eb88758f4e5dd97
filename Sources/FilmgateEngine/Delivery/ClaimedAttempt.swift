import FilmgateCore

/// Carries one delivery to a target that several stations deliver to: it is claimed first, and what another station
/// says of it is asked of the target itself.
struct ClaimedAttempt: Sendable {
    /// What a person said with the verb.
    struct Terms: Sendable {
        /// Copies that were removed are made again.
        var again = false
        /// What another station may have sent, or says to have sent, is sent all the same.
        var anyway = false
    }

    let claims: StationClaims, wish: ClaimWish, delivery: Delivery
    /// The primary of its shot, which is claimed before it.
    let lead: ClaimWish?
    var terms = Terms()
    /// The folder that the shared target is here; nil for a remote one.
    var root: String? { delivery.target.traits.localRoot }
    private var pause: Duration { ClaimPause().after(delivery.withheldTries) }
    private var name: String { delivery.target.name }
    typealias Send = @Sendable (Delivery) async -> DeliveryEvent

    /// Nil where there is no catalogue, or the target is this station's alone.
    init?(_ claims: StationClaims?, _ delivery: Delivery, _ terms: Terms) {
        guard let claims, var wish = claims.wish(for: delivery) else { return nil }
        if let content = delivery.lead {
            var lead = wish
            (lead.content, lead.isKnown) = (content, false)
            self.lead = lead
        } else {
            lead = nil
        }
        var terms = terms
        if delivery.goesAnyway { terms.anyway = true }
        (wish.again, wish.anyway) = (terms.again, terms.anyway)
        (self.claims, self.wish, self.delivery, self.terms) = (claims, wish, delivery, terms)
    }

    func carry(_ send: Send) async -> DeliveryEvent {
        if let waiting = await waitingForLead() { return waiting }
        let verdict = Self.bounded(await claims.claim(wish))
        if Task.isCancelled { return await brokenOff() }
        switch verdict {
        // Given by tables of before, or to this process once already: nobody knows what was sent.
        case .answer(.takenOver) where !wish.canBeSettled && !terms.anyway:
            await claims.ended(wish, isDone: false)
            return withheld(.held, doubtful("another station"))
        // Whoever takes it over has the target asked before anything is sent, as each attempt does.
        case .answer(.takenOver): return await takenOver(send)
        case .answer(.granted): return await sent(send)
        case .answer(.held(let station, let since)): return await waiting(for: station, since: since)
        // Its own ledger knows more of it, and has it looked at again.
        case .answer(.done(_, _, true)) where delivery.recheck != nil: return await send(delivery)
        case .answer(.done(let station, let receipt, let isOwn)):
            return await ask(about: receipt, of: station, isOwn: isOwn, send)
        case .answer(.removed(let station, _)): return removed(station)
        case .answer(.unsure(let station, let isOwn, let at)):
            return await unsure(station, isOwn: isOwn, at: at, send)
        case .answer(.undecided): return undecided
        case .away(let words): return await alone(words, send)
        }
    }

    private func brokenOff() async -> DeliveryEvent {
        await claims.ended(wish, isDone: false, mayHaveArrived: false)
        return .failed(
            delivery.id, DeliveryFailure(IngestError(.cancelled, "The run is over."), wasOnlyAsked: true))
    }

    private var undecided: DeliveryEvent { withheld(.pending, "the catalogue has not decided yet", again: pause) }

    /// Who sends it again has claimed it: of all stations that are told to, one does.
    private func removed(_ station: String) -> DeliveryEvent {
        let words = "\(station) \(DeliveryRow.seenRemoved)"
        guard terms.again else {
            return withheld(.excluded, "\(words); `filmgate import --again` sends it again")
        }
        let tables = "the catalogue's tables are too old to let one station alone send it: `filmgate catalog migrate`"
        return withheld(.held, "\(words), and \(tables)", again: Self.later)
    }

    /// A shot is one station's: another one that sends its primary sends the rest of it, as far as it has that.
    ///
    /// Nil where this station has the primary now, where that is delivered already, and where nobody can say.
    private func waitingForLead() async -> DeliveryEvent? {
        guard let lead else { return nil }
        switch Self.bounded(await claims.reserve(lead)) {
        case .answer(.held(let station, _)):
            return withheld(.pending, "\(station) is sending the picture that it belongs to", again: pause)
        case .answer(.undecided): return undecided
        case .answer, .away: return nil
        }
    }

    private func doubtful(_ station: String, isOwn: Bool = false, at: Int64? = nil) -> String {
        let who = isOwn ? "an earlier run of \(station)" : station
        return "\(Self.mayHaveSent(who, at)), and \(name) cannot be asked: look there, then `filmgate retry --anyway`"
    }

    private static func mayHaveSent(_ station: String, _ at: Int64?) -> String {
        "\(station) may have sent it" + (ClaimTime(at).map { " at \($0.text)" } ?? "")
    }

    private func waiting(for station: String, since: Int64?) async -> DeliveryEvent {
        await note(.waiting, station, claimed: since)
        var waiting = WithheldDelivery(.pending, "\(station) is sending it", again: pause)
        waiting.station = station
        return .withheld(delivery.id, waiting)
    }

    private func note(_ kind: ClaimNotice.Kind, _ station: String, claimed: Int64? = nil) async {
        let file = delivery.job.asset.origin.name
        await claims.note(ClaimNotice(kind, station: station, target: name, file: file, claimed: claimed))
    }

    /// Who had it is lost or gave up; whoever waited for that station is told what became of it.
    private func takenOver(_ send: Send) async -> DeliveryEvent {
        let event = await sent(send)
        if let station = delivery.withheld?.station, case .delivered(_, let delivered) = event {
            await note(delivered.receipt.existed ? .found : .sent, station)
        }
        return event
    }

    /// With the claim, and only while it lasts.
    private func sent(_ send: Send) async -> DeliveryEvent {
        let right = await claims.right(to: wish)
        let event = await SendRight.$current.withValue(right) { await send(delivery) }
        switch event {
        case .delivered(_, let delivered):
            await claims.ended(wish, isDone: !isAsBefore(delivered), mayHaveArrived: false)
            if isAsBefore(delivered) { await claims.letGo(of: wish) }
        case .failed(_, let failure):
            await claims.ended(wish, isDone: false, mayHaveArrived: failure.mayHaveArrived)
            if failure.error.cause is SendRightLost {
                return withheld(.pending, "its claim was not renewed in time, and is made anew", again: pause)
            }
            // Another station need not wait for one that cannot read it.
            if failure.isOfTheBytes { await claims.letGo(of: wish) }
        default: await claims.ended(wish, isDone: false)
        }
        return event
    }

    /// It was there, as this ledger has it: nothing of that is told, and what the claim took the place of stands again.
    private func isAsBefore(_ delivered: DeliveryAttempt.Delivered) -> Bool {
        guard let recheck = delivery.recheck, wish.canBeSettled else { return false }
        return recheck.denial == nil && delivered.receipt.existed
    }

    private func withheld(_ state: Receipt.State, _ reason: String, again: Duration? = nil) -> DeliveryEvent {
        .withheld(delivery.id, WithheldDelivery(state, reason, again: again))
    }

    /// Without the catalogue: a copy in a folder never waits for it, nor what the target can settle by itself.
    private func alone(_ words: String, _ send: Send) async -> DeliveryEvent {
        if root != nil { return await send(delivery) }
        if claims.whenAway == .hold {
            return withheld(.held, "\(CatalogWords.absent): \(words)", again: ClaimPause().most)
        }
        if wish.canBeSettled { return await send(delivery) }
        return withheld(
            .held, "\(CatalogWords.absent), and \(name) cannot either: \(words)", again: ClaimPause().most)
    }
}

// MARK: What another station delivered

extension ClaimedAttempt {
    private enum Word: Sendable { case has(Receipt), lacks, cannotTell }

    /// Another station's word alone ends no delivery of a target that can be asked, and none of the last bytes.
    private func ask(
        about receipt: String?, of station: String, isOwn: Bool, _ send: Send
    ) async -> DeliveryEvent {
        let copy = ForeignCopy(station: station, place: receipt ?? name, isOwn: isOwn)
        let answer = await delivery.target.trying { () async throws(IngestError) in try await word(about: receipt) }
        let says = "\(station) says that it delivered it", traits = delivery.target.traits
        switch answer {
        case .failure(let error): return .failed(delivery.id, DeliveryFailure(error, wasOnlyAsked: true))
        case .success(.has(let found)):
            if !isOwn { claims.countOther() }
            return .delivered(delivery.id, .init(receipt: found, word: .has, foreign: copy))
        // A folder is never left without a copy because somebody says that it has one.
        case .success where root != nil: return await send(delivery)
        case .success where terms.anyway: return await insisted(send)
        case .success(.lacks):
            return look(says, "\(name) says that it does not have it")
        // Nothing becomes of bytes that are sent twice, and the target's own answer is better than a word about it.
        case .success(.cannotTell) where traits.idempotent && traits.layout == nil: return await send(delivery)
        // Where files have names, somebody can look; a word about no name of these is none.
        case .success(.cannotTell) where traits.layout != nil:
            return look(says, "\(name) cannot be asked for the copy that it names")
        case .success(.cannotTell):
            var believed = foreign(place(receipt), .hearsay)
            believed.reason = "\(says); \(name) cannot be asked"
            var delivered = DeliveryAttempt.Delivered(receipt: believed, foreign: copy)
            let words = "\(says), \(name) cannot be asked, and no other copy is known here"
            delivered.ifLast = WithheldDelivery(
                .held, "\(words): look there, then `filmgate retry --anyway`, or `filmgate cancel`", again: Self.later)
            return .delivered(delivery.id, delivered)
        }
    }

    /// What another station may have sent is asked of the target where that can be done from here.
    private func unsure(_ station: String, isOwn: Bool, at: Int64?, _ send: Send) async -> DeliveryEvent {
        if root != nil { return await send(delivery) }
        guard wish.canBeSettled else {
            if !isOwn { await note(.unsure, station, claimed: at) }
            return withheld(.held, doubtful(station, isOwn: isOwn, at: at))
        }
        let answer = await delivery.target.trying { () async throws(IngestError) in try await word(about: nil) }
        switch answer {
        case .failure(let error): return .failed(delivery.id, DeliveryFailure(error, wasOnlyAsked: true))
        case .success(.has(let found)):
            let copy = ForeignCopy(station: station, place: name, isOwn: isOwn)
            return .delivered(delivery.id, .init(receipt: found, word: .has, foreign: copy))
        case .success(.lacks):
            return look(Self.mayHaveSent(station, at), "\(name) says that it does not have it")
        case .success(.cannotTell): return withheld(.held, doubtful(station, isOwn: isOwn, at: at))
        }
    }

    /// A person has to.
    private func look(_ says: String, _ but: String) -> DeliveryEvent {
        withheld(.held, "\(says), and \(but): look there, then `filmgate retry --anyway`", again: Self.later)
    }

    private static let later = Duration.seconds(60)

    /// The target was asked and did not say yes, and a person has looked: of all stations that are told so, one sends it.
    private func insisted(_ send: Send) async -> DeliveryEvent {
        var wish = wish
        wish.insists = true
        let verdict = Self.bounded(await claims.claim(wish))
        if Task.isCancelled { return await brokenOff() }
        switch verdict {
        case .answer(.granted), .answer(.takenOver): return await sent(send)
        case .answer(.held(let station, _)): return withheld(.pending, "\(station) is sending it", again: pause)
        case .answer: return undecided
        case .away(let words): return await alone(words, send)
        }
    }

    private func word(about receipt: String?) async throws(IngestError) -> Word {
        let job = delivery.job, target = delivery.target.target
        if let root {
            guard let path = receipt.flatMap({ Self.path($0, below: root) }) else { return .lacks }
            let found = Receipt(state: .done, path: path, sha256: job.digests.sha256, verified: .reread, existed: true)
            return try await target.verify(found, size: job.file.size, sha256: job.digests.sha256) == .equal
                ? .has(found) : .lacks
        }
        if var found = try await target.find(job) {
            found.existed = true
            return .has(found)
        }
        let place = place(receipt)
        if let knows = try await target.knows(job) { return knows ? .has(foreign(place, .found)) : .lacks }
        guard place != nil else { return .cannotTell }
        return
            switch try await target.verify(foreign(place, .none), size: job.file.size, sha256: job.digests.sha256)
        {
        case .equal: .has(foreign(place, .found))
        case .missing, .differs, .discarded: .lacks
        case .cannotTell: .cannotTell
        }
    }

    /// What another station calls its copy, where that can be one of this target: an address lies below its own, and
    /// where files have names, nothing else names one.
    private func place(_ text: String?) -> String? {
        guard let text else { return nil }
        let traits = delivery.target.traits
        guard text.contains("://") else { return traits.layout == nil ? text : nil }
        return traits.address.flatMap { AddressBelow(text, base: $0) }?.url
    }

    /// What another station calls its copy there.
    private func foreign(_ text: String?, _ proof: Receipt.Proof) -> Receipt {
        var receipt = Receipt(state: .done, sha256: delivery.job.digests.sha256, verified: proof, existed: true)
        if text?.contains("://") == true { receipt.url = text } else { receipt.id = text }
        return receipt
    }

    /// Whatever a catalogue says is text for people, and not more of it than they read.
    private static func bounded(_ verdict: ClaimTable.Verdict) -> ClaimTable.Verdict {
        switch verdict {
        case .answer(.held(let station, let since)): .answer(.held(by: plain(station, 64), since: since))
        case .answer(.done(let station, let receipt, let isOwn)):
            .answer(.done(by: plain(station, 64), receipt: receipt.map { plain($0, 2048) }, isOwn: isOwn))
        case .answer(.unsure(let station, let isOwn, let at)):
            .answer(.unsure(by: plain(station, 64), isOwn: isOwn, at: at))
        case .answer(.removed(let station, let isOwn)): .answer(.removed(by: plain(station, 64), isOwn: isOwn))
        default: verdict
        }
    }

    private static func plain(_ text: String, _ limit: Int) -> String {
        let scalars = text.unicodeScalars.prefix(limit).map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Below the shared folder, whatever another station says; nil for what would lead out of it.
    static func path(_ text: String, below root: String) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain =
            !text.isEmpty && text.utf8.count <= 4096 && parts.allSatisfy { !["", ".", ".."].contains($0) }
            && !text.utf8.contains(0)
        return isPlain ? "\(root)/\(text)" : nil
    }
}
