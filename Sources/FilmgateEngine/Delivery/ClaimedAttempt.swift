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
        guard let claims, let wish = claims.wish(for: delivery) else { return nil }
        (self.claims, self.wish, self.delivery, self.terms) = (claims, wish, delivery, terms)
        lead = delivery.lead.map { content in
            var lead = wish
            lead.content = content
            return lead
        }
    }

    func carry(_ send: Send) async -> DeliveryEvent {
        if let waiting = await waitingForLead() { return waiting }
        let verdict = Self.bounded(await claims.claim(wish))
        if Task.isCancelled {
            await claims.ended(wish, isDone: false)
            let error = IngestError(.cancelled, "The run is over.")
            return .failed(delivery.id, DeliveryFailure(error, wasOnlyAsked: true))
        }
        switch verdict {
        // Another station's pipeline may know how to ask this target: where this one does not, nobody knows what was
        // sent.
        case .answer(.takenOver) where !wish.canBeSettled && !terms.anyway:
            await claims.ended(wish, isDone: false)
            return withheld(.held, doubtful("another station"))
        // Whoever takes it over has the target asked before anything is sent, as each attempt does.
        case .answer(.granted), .answer(.takenOver): return await sent(send)
        case .answer(.held(let station)): return withheld(.pending, "\(station) is sending it", again: pause)
        // Its own ledger knows more of it, and has it looked at again.
        case .answer(.done(claims.station, _)) where delivery.recheck != nil,
            .answer(.removed(claims.station)) where delivery.recheck != nil:
            return await send(delivery)
        case .answer(.done(let station, let receipt)): return await ask(about: receipt, of: station, send)
        case .answer(.removed(let station)):
            let words = "\(station) saw that the copy there was removed; `filmgate import --again` sends it again"
            return terms.again ? await send(delivery) : withheld(.excluded, words)
        case .answer(.unsure(let station)):
            // What this station itself had claimed before it was broken off is its own, as in its ledger.
            if station == claims.station || terms.anyway { return await send(delivery) }
            return withheld(.held, doubtful(station))
        case .answer(.undecided): return withheld(.pending, "the catalogue has not decided yet", again: pause)
        case .away(let words): return await alone(words, send)
        }
    }

    /// A shot is one station's: another one that sends its primary sends the rest of it, as far as it has that.
    ///
    /// Nil where this station has the primary now, where that is delivered already, and where nobody can say.
    private func waitingForLead() async -> DeliveryEvent? {
        guard let lead else { return nil }
        switch Self.bounded(await claims.reserve(lead)) {
        case .answer(.held(let station)):
            return withheld(.pending, "\(station) is sending the picture that it belongs to", again: pause)
        case .answer(.undecided): return withheld(.pending, "the catalogue has not decided yet", again: pause)
        case .answer, .away: return nil
        }
    }

    private func doubtful(_ station: String) -> String {
        "\(station) may have sent it, and \(name) cannot be asked: look there, then `filmgate retry --anyway`"
    }

    /// With the claim, and only while it lasts.
    private func sent(_ send: Send) async -> DeliveryEvent {
        let right = await claims.right(to: wish)
        let event = await SendRight.$current.withValue(right) { await send(delivery) }
        switch event {
        case .delivered: await claims.ended(wish, isDone: true)
        case .failed(_, let failure) where failure.error.cause is SendRightLost:
            await claims.ended(wish, isDone: false)
            return withheld(.pending, "its claim was not renewed in time, and is made anew", again: pause)
        default: await claims.ended(wish, isDone: false)
        }
        return event
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

    /// Another station's word alone ends no delivery of a target that can be asked.
    private func ask(about receipt: String?, of station: String, _ send: Send) async -> DeliveryEvent {
        let answer = await delivery.target.trying { () async throws(IngestError) in try await word(about: receipt) }
        let twin = "\(station):\(receipt ?? name)"
        switch answer {
        case .failure(let error): return .failed(delivery.id, DeliveryFailure(error, wasOnlyAsked: true))
        case .success(.has(let found)):
            return .delivered(delivery.id, DeliveryAttempt.Delivered(receipt: found, word: .has, twin: twin))
        // A folder is never left without a copy because somebody says that it has one.
        case .success(.lacks) where root != nil || terms.anyway,
            .success(.cannotTell) where root != nil || terms.anyway:
            return await send(delivery)
        case .success(.lacks):
            let words =
                "\(station) says that it delivered it, and \(name) says that it does not have it: look there, then `filmgate retry --anyway`"
            return withheld(.held, words, again: .seconds(60))
        // Nothing becomes of bytes that are sent twice, and the target's own answer is better than a word about it.
        case .success(.cannotTell) where delivery.target.traits.idempotent && delivery.target.traits.layout == nil:
            return await send(delivery)
        case .success(.cannotTell):
            var believed = foreign(receipt, .none)
            believed.reason = "\(station) says that it delivered it; \(name) cannot be asked"
            return .delivered(delivery.id, DeliveryAttempt.Delivered(receipt: believed, twin: twin))
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
        if let knows = try await target.knows(job) { return knows ? .has(foreign(receipt, .server)) : .lacks }
        guard receipt != nil else { return .cannotTell }
        return
            switch try await target.verify(foreign(receipt, .none), size: job.file.size, sha256: job.digests.sha256)
        {
        case .equal: .has(foreign(receipt, .server))
        case .missing, .differs, .discarded: .lacks
        case .cannotTell: .cannotTell
        }
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
        case .answer(.held(let station)): .answer(.held(by: plain(station, 64)))
        case .answer(.done(let station, let receipt)):
            .answer(.done(by: plain(station, 64), receipt: receipt.map { plain($0, 2048) }))
        case .answer(.unsure(let station)): .answer(.unsure(by: plain(station, 64)))
        case .answer(.removed(let station)): .answer(.removed(by: plain(station, 64)))
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
