import AsyncAlgorithms
import FilmgateCore

/// Takes one open source from its listing to the targets: reads shots side by side, places them in card order.
struct Intake: Sendable {
    let session: any SourceSession
    let reader: ShotReader
    let placer: Placer
    let delivering: any Delivering
    let ledger: (any Ledger)?
    let profiles: ProfileSet
    let tally: Tally
    let budget: ByteBudget
    let stopping: CancelFlag
    let run: Int64
    let workers: Int
    let wait: Duration

    /// Returns when every shot has been handed to the targets or settled.
    ///
    /// Throws what ends this source (device gone, state broken); what was not taken by then is settled as pending.
    func take(_ listing: Listing) async throws(IngestError) {
        let turnstile = Turnstile()
        let trouble = FirstTrouble()
        let channel = AsyncChannel<ShotWork>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed(listing.works, into: channel, trouble) }
            for _ in 0..<workers {
                group.addTask {
                    for await work in channel { await process(work, turnstile, trouble) }
                }
            }
        }
        if let error = trouble.error, error.code != .cancelled { throw error }
    }

    /// Takes the budget in card order, so that an early shot never waits for room that a later one holds.
    private func feed(_ works: [ShotWork], into channel: AsyncChannel<ShotWork>, _ trouble: FirstTrouble) async {
        for work in works {
            let room = stopping.isSet || trouble.error != nil ? nil : await room(for: work)
            if case .failure(let error) = room { trouble.note(error) }
            if case .success = room, trouble.error == nil {
                await channel.send(work)
            } else {
                if case .success = room { budget.give(work.bytesToRead) }
                leave(work, trouble.error)
            }
        }
        channel.finish()
    }

    /// Waits for room in the spool; gives up when nothing there moves any more, because its targets are held or do not answer.
    private func room(for work: ShotWork) async -> Result<Void, IngestError> {
        if budget.used + work.bytesToRead <= budget.limit {
            return await Result { () async throws(IngestError) in try await budget.take(work.bytesToRead) }
        }
        let taking = Task { await Result { () async throws(IngestError) in try await budget.take(work.bytesToRead) } }
        let watching = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(200))
                if stopping.isSet { taking.cancel() } else if await delivering.isStuck(wait) { taking.cancel() }
            }
        }
        let result = await taking.value
        watching.cancel()
        guard case .failure = result, !stopping.isSet else { return result }
        return .failure(IngestError(.cancelled, "the spool is full and its targets take nothing"))
    }

    private func process(_ work: ShotWork, _ turnstile: Turnstile, _ trouble: FirstTrouble) async {
        do throws(IngestError) {
            let result = try await reader.read(work)
            await turnstile.enter(work.index)
            let placed = await Result { () async throws(IngestError) in try await place(work, result) }
            await turnstile.leave(work.index)
            _ = try placed.get()
        } catch {
            trouble.note(error)
            await turnstile.enter(work.index)
            await turnstile.leave(work.index)
            budget.give(work.bytesToRead)
            leave(work, error)
        }
    }

    /// In card order, one shot at a time.
    private func place(_ work: ShotWork, _ result: ShotReader.Result) async throws(IngestError) {
        for failed in result.failed { await settle(failed, releasing: true) }
        var deliver: [(asset: Asset, to: [String])] = [], claims: [AssetID: UInt64] = [:]
        for passed in result.passed {
            switch passed.decision {
            case .finish(let ending, let reason, let twin):
                await settle(Settled(asset: passed.asset, ending: ending, reason: reason, twin: twin), releasing: true)
            case .deliver(let targets):
                if let reason = refusal(passed.asset, lead: result.lead) {
                    await settle(Settled(asset: passed.asset, ending: .filtered, reason: reason), releasing: true)
                } else {
                    deliver.append((passed.asset, targets))
                    claims[passed.asset.id] = passed.asset.origin.size
                }
            }
        }
        for placed in try await placer.place(deliver, lead: result.lead, budget: claims) {
            await delivering.submit(placed.consignment, parcels: placed.parcels)
        }
    }

    private func refusal(_ asset: Asset, lead: Asset?) -> String? {
        let facts = lead?.media ?? asset.media ?? MediaFacts()
        let profile = profiles.resolve(make: facts.make, model: facts.model, serial: facts.serial, owner: facts.owner)
        guard let accept = profile.accept, !accept.contains(asset.kind) else { return nil }
        return "the profile accepts only \(accept.map(\.rawValue).sorted().joined(separator: ", "))"
    }

    /// An asset that ends without a delivery: told, remembered, its staged bytes removed.
    private func settle(_ settled: Settled, releasing: Bool) async {
        if releasing { budget.give(settled.asset.origin.size) }
        if settled.ending != .setAside, let file = settled.asset.file { Courier.discardIfStill(file, takenTo: "") }
        if let ledger {
            let row = AssetRow(settled, run: run)
            let result = await Result { () async throws(IngestError) in try await ledger.record([.asset(row)]) }
            if case .failure(let error) = result { tally.trouble(error) }
        }
        tally.settle(settled)
    }

    /// Not taken: counted as pending, so that the buckets add up and the exit code says that something is left.
    private func leave(_ work: ShotWork, _ error: IngestError?) {
        for member in work.members where !member.settled {
            let asset = Asset(origin: member.entry.origin, kind: member.entry.kind, shot: member.entry.shot)
            let reason = "not taken: " + (error?.message ?? "stopped")
            tally.settle(Settled(asset: asset, ending: .pending, reason: reason))
        }
    }
}

extension AssetRow {
    /// The row of an asset that was settled without a delivery.
    init(_ settled: Settled, run: Int64) {
        let asset = settled.asset
        self.init(origin: asset.origin, run: run, kind: asset.kind, shot: asset.shot, at: Now.nanoseconds)
        if let digests = asset.digests { content = ContentKey(sha256: digests.sha256) }
        (digests, media, flags) = (asset.digests, asset.media, asset.flags)
        (ending, reason, twin) = (settled.ending, settled.reason, settled.twin)
    }
}
