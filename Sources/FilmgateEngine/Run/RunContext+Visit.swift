public import FilmgateCore

extension RunContext {
    /// Opens a place, works with it and closes it.
    ///
    /// When the run is stopped, or ends by itself and the place does not answer for as long as it waits, it is not
    /// waited for any longer. What is still on its way to its targets when the run ends is told about afterwards.
    func visit(
        _ place: SourcePlace, of driver: any SourceDriver, _ body: (any SourceSession) async throws(IngestError) -> Void
    ) async throws(IngestError) {
        let patience = mode.ends ? options.wait : nil
        let session = try await open(place, of: driver, patience: patience)
        sessions.add(session)
        let device = session as? any AnsweringSession
        if let patience { device?.expectAnswers(within: patience) }
        let stop = stopping.whenSet { device?.expectAnswers(within: CancelToken.grace) }
        let abort = cancelled.whenSet { device?.expectAnswers(within: .zero) }
        let telling = patience == nil ? nil : device.map { device in Task { await tellSilence(of: device) } }
        let result = await Result { () async throws(IngestError) in try await body(session) }
        telling?.cancel()
        await session.close()
        stopping.forget(stop)
        cancelled.forget(abort)
        if !mode.ends, !stopping.isSet { sessions.remove(session) }
        try result.get()
    }

    /// After so long a person wants to know what nothing is moving for.
    private static let telling = Duration.seconds(5)

    /// Says once of each silence what is waited for.
    private func tellSilence(of session: any AnsweringSession) async {
        var told: ContinuousClock.Instant?
        while !Task.isCancelled {
            await clock.sleep(for: .seconds(1))
            guard let silence = session.unanswered, silence.since != told,
                clock.now.instant - silence.since >= Self.telling
            else {
                continue
            }
            told = silence.since
            let file = silence.file.map { " while \($0) is read" } ?? ""
            hub.post(
                .waiting(
                    IngestError(
                        .deviceGone,
                        "\(session.place.label) has said nothing for \(Self.telling.components.seconds) s\(file).",
                        advice: "It is asked again for a while; the next import takes what it does not send now.")))
        }
    }

    private func open(
        _ place: SourcePlace, of driver: any SourceDriver, patience: Duration?
    ) async throws(IngestError) -> any SourceSession {
        let answer = await stopping.answer(within: patience) { () async throws(IngestError) -> any SourceSession in
            let session = try await driver.open(place)
            guard Task.isCancelled else { return session }
            await session.close()
            throw IngestError(.cancelled, "Stopped.")
        }
        if let answer { return try answer.get() }
        if stopping.isSet { throw IngestError(.cancelled, "Stopped.") }
        throw IngestError(.deviceGone, "\(place.label) at \(place.address) does not answer.")
    }

    /// What the place holds; ends early when the run is stopped.
    ///
    /// With `readiness`, a camera that shows nothing because it has no card yet, is locked or is busy is asked again as
    /// long as that says.
    func entries(of session: any SourceSession, readiness: Readiness? = nil) async throws(IngestError) -> [SourceEntry]
    {
        while true {
            let listed = await stopping.during {
                await Result { () async throws(IngestError) in try await session.entries() }
            }
            let gap = await (session as? any PartialListingSession)?.unlisted()
            if let readiness, await readiness.mayPass(listed, gap: gap) { continue }
            if let gap { statistics.trouble(gap) }
            return try listed.get()
        }
    }

    /// In a dry run, tells what would be fetched of files that lie on no disk of this computer; false where they do.
    ///
    /// What becomes of each depends on its bytes, which are not asked for.
    func tellOnly(_ listing: IntakeListing, of session: any SourceSession) async -> Bool {
        guard writer == nil, listing.shotCount > 0, let first = listing.work(0).members.first,
            session.localPath(first.entry.origin) == nil
        else { return false }
        for number in 0..<listing.shotCount {
            if number % 128 == 127 { await hub.rest() }
            for member in listing.work(number).members where !member.settled {
                let asset = Asset(origin: member.entry.origin, kind: member.entry.kind, shot: member.entry.shot)
                statistics.settle(AssetResult(asset: asset, ending: .delivered, reason: AssetResult.onlyListed))
            }
        }
        await hub.rest()
        return true
    }
}

extension AssetResult {
    /// A file in a dry run that would have to be fetched to say more.
    public static let onlyListed = "would be fetched; its name, and whether its bytes are known, show when it is read"
}
