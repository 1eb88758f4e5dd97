import Dispatch
import FTPKit
import FilmgateCore
import Logging
import Synchronization

/// What clients pushed, for one event or for none; there also the server that they push to.
final class FTPPushSession: ReceivingSession, ConfirmingSession, ConcludingSession, ConditionReportingSession {
    let place: SourcePlace
    let traits = SessionTraits(identifiesDevice: true, parallelFetches: 4)
    private let intake: PushIntake, receiver: PushReceiver, server: FTPServer?
    private let inbox: FTPInbox, tracker: PushTracker, confirmations: PushConfirmations?
    private let logger: Logger, ledger: (any LedgerReader)?
    /// Files that are being looked up or removed.
    private let removing = DispatchGroup()
    private let pool = BlockingPool(width: 1)
    private let guesses = Mutex(GuessCount()), isClosed = Mutex(false)

    init(
        _ intake: PushIntake, _ receiver: PushReceiver, _ server: FTPServer? = nil, logger: Logger,
        ledger: (any LedgerReader)? = nil
    ) {
        let work = intake.begin()
        (self.intake, self.receiver, self.server) = (intake, receiver, server)
        (self.logger, self.ledger) = (logger, ledger)
        (place, inbox, tracker, confirmations) = (intake.place, intake.inbox, work.tracker, work.confirmations)
    }

    var volume: String { "ftp:\(place.address)" }
    /// Where it listens.
    var port: Int { server?.port ?? 0 }
    var counts: FTPCounts { server?.counts ?? FTPCounts() }

    func entries() async throws(IngestError) -> [SourceEntry] { try await tracker.leftovers() }

    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> {
        let (stream, continuation) = AsyncStream<SourceNews>.makeStream()
        let tracker = tracker
        Task { await tracker.run(continuation) }
        return stream
    }

    /// Nobody is told any more that a file is safe once this is asked: what was, is in here.
    func unfinished() async -> [(entry: SourceEntry, reason: String)] {
        await receiver.stop()
        return await tracker.unfinished()
    }

    /// Who pushed last and when, and whether somebody guesses passwords.
    func condition() async -> DeviceCondition {
        let pushes = await tracker.lastPushes.sorted { $0.value > $1.value }, lacking = await tracker.lacking
        var notes = pushes.prefix(4).map { "\($0.key) pushed last at \(LocalClock.text($0.value))" }
        if notes.isEmpty { notes = [server == nil ? "nobody has pushed yet" : "listening, nobody has pushed yet"] }
        if let (name, lack) = lacking.first {
            let first = "\(name) (\(lack))"
            notes.append(lacking.count == 1 ? "waits for \(first)" : "waits for \(lacking.count) files: \(first), …")
        }
        let wrong = guesses.withLock { $0.inLastMinute(counts.wrongPasswords, at: .now) }
        let alarm = "FTP \(place.label): \(wrong) wrong passwords in the last minute; somebody may be guessing."
        return DeviceCondition(notes: notes, alarms: wrong >= GuessCount.alarming ? [alarm] : [])
    }

    func localPath(_ origin: Origin) -> String? { "\(inbox.root)/\(origin.volumePath)" }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        throw IngestError(.unexpected, "Pushed files are read where they lie.")
    }

    func delivered(_ origin: Origin, to target: String) {
        if target == confirmations?.target { confirmations?.confirm(origin.inode) }
    }

    /// Delivered or known: its place in the inbox is free again.
    ///
    /// What was set aside or waits stays, and so does what nobody knew what it is: the client was told that it is safe.
    func settled(_ settled: AssetResult) {
        answer(settled)
        switch settled.ending {
        case .filtered where settled.asset.kind == .other: break
        case .delivered, .duplicate, .filtered:
            if !Self.mayBeTheOnlyOne(settled.asset) { remove(settled.asset.origin) { true } }
        // It was not read again, or stays with another event: only the ledger knows where its bytes are.
        case .alreadySeen:
            guard let content = settled.content, let ledger else { break }
            remove(settled.asset.origin) { await Self.isElsewhere(content, ledger) }
        case .setAside, .pending: break
        }
    }

    /// Where only stamped copies were delivered, or another station's word is all that says so, or somebody took
    /// deliveries back, this may be the one place that has what the camera sent.
    ///
    /// What the rules of all targets leave out was meant to go nowhere.
    private static func mayBeTheOnlyOne(_ asset: Asset) -> Bool {
        let receipts = asset.receipts.values, sha256 = asset.digests?.sha256
        if receipts.contains(where: { $0.state == .done && $0.sha256 == sha256 && !$0.isHearsay }) { return false }
        return receipts.contains { $0.state != .excluded || DeliveryRow.isByHand($0.reason) }
    }

    /// Every target that was to have these bytes has them, and one of them as the camera sent them, by its own word.
    private static func isElsewhere(_ content: ContentKey, _ ledger: any LedgerReader) async -> Bool {
        let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
        guard let wanted = try? rows.get().filter({ $0.receipt.state != .excluded }) else { return false }
        return wanted.allSatisfy { $0.receipt.state == .done }
            && wanted.contains { row in
                row.receipt.sha256 == content.sha256 && !row.receipt.isHearsay && row.denial == nil
            }
    }

    private func remove(_ origin: Origin, where isSafe: @escaping @Sendable () async -> Bool) {
        let (inbox, pool, removing) = (inbox, pool, removing)
        removing.enter()
        Task {
            defer { removing.leave() }
            guard await isSafe() else { return }
            _ = await Result { () async throws(IngestError) in
                try await pool.run { () throws(IngestError) in
                    inbox.remove(place: origin.volumePath, size: origin.size)
                }
            }
        }
    }

    func concluded() async {
        await withCheckedContinuation { done in removing.notify(queue: .global()) { done.resume() } }
    }

    /// Whoever still waits for it is told what became of it.
    private func answer(_ settled: AssetResult) {
        guard let confirmations else { return }
        let file = settled.asset.origin.inode, receipt = settled.asset.receipts[confirmations.target]
        let isOnItsWay = settled.isOfOtherEvent && settled.asset.receipts.isEmpty
        if let receipt, receipt.isHearsay {
            return confirmations.refuse(
                file, "\(confirmations.target) may not have it: \(receipt.reason ?? "nobody has looked")")
        }
        switch settled.ending {
        // Of another event: its bytes may still wait there, or be on their way.
        case .alreadySeen where receipt.map { $0.state != .done } ?? isOnItsWay:
            confirmations.refuse(file, "\(confirmations.target) does not have it yet: \(settled.reason ?? "it waits")")
        // What a rule leaves out goes nowhere, however often it is sent.
        case .delivered, .duplicate, .alreadySeen, .filtered: confirmations.confirm(file)
        case .setAside, .pending:
            confirmations.refuse(
                file, "\(confirmations.target) does not have it: \(settled.reason ?? "it waits"); send it again later."
            )
        }
    }

    func close() async {
        // Another session may have begun with the same intake since.
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        confirmations?.close()
        await server?.stop()
        intake.end()
        if server == nil { receiver.ended(intake) } else { receiver.closed() }
        let counts = counts
        if counts.refused > 0 {
            logger.warning(
                "FTP: refused \(counts.wrongPasswords) passwords, \(counts.escapes) paths outside, \(counts.plainRefused) without TLS, \(counts.foreignData) from elsewhere"
            )
        }
    }
}
