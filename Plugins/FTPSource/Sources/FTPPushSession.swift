import FTPKit
import FilmgateCore
import Logging
import Synchronization

/// What clients pushed, for one event or for none; there also the server that they push to.
final class FTPPushSession: SourceSession {
    let place: SourcePlace
    let parallelFetches = 4
    private let intake: PushIntake, receiver: PushReceiver, server: FTPServer?
    private let inbox: FTPInbox, tracker: PushTracker, confirmations: PushConfirmations?
    private let logger: Logger
    private let pool = BlockingPool(width: 1)
    private let guesses = Mutex(GuessCount()), isClosed = Mutex(false)

    init(_ intake: PushIntake, _ receiver: PushReceiver, _ server: FTPServer? = nil, logger: Logger) {
        let work = intake.begin()
        (self.intake, self.receiver, self.server, self.logger) = (intake, receiver, server, logger)
        (place, inbox, tracker, confirmations) = (intake.place, intake.inbox, work.tracker, work.confirmations)
    }

    var volume: String { "ftp:\(place.address)" }
    /// Where it listens.
    var port: Int { server?.port ?? 0 }
    var counts: FTPCounts { server?.counts ?? FTPCounts() }

    func entries() async throws(IngestError) -> [SourceEntry] { try await tracker.leftovers() }

    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews>? {
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
    func condition() async -> DeviceCondition? {
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
        case .delivered, .duplicate, .alreadySeen, .filtered:
            // Where only stamped copies were delivered, or another station's word is all that says so, or somebody took
            // deliveries back, this may be the one place that has what the camera sent. What the rules of all targets
            // leave out was meant to go nowhere.
            let receipts = settled.asset.receipts.values, sha256 = settled.asset.digests?.sha256
            let isElsewhere = receipts.contains { $0.state != .excluded && $0.sha256 == sha256 && !$0.isHearsay }
            if !isElsewhere, receipts.contains(where: { $0.state != .excluded || DeliveryRow.isByHand($0.reason) }) {
                return
            }
            let (inbox, pool, origin) = (inbox, pool, settled.asset.origin)
            Task {
                _ = await Result { () async throws(IngestError) in
                    try await pool.run { () throws(IngestError) in
                        inbox.remove(place: origin.volumePath, size: origin.size)
                    }
                }
            }
        case .setAside, .pending: break
        }
    }

    /// Whoever still waits for it is told what became of it.
    private func answer(_ settled: AssetResult) {
        guard let confirmations else { return }
        let file = settled.asset.origin.inode, receipt = settled.asset.receipts[confirmations.target]
        if let receipt, receipt.isHearsay {
            return confirmations.refuse(
                file, "\(confirmations.target) may not have it: \(receipt.reason ?? "nobody has looked")")
        }
        switch settled.ending {
        // Of another event: its bytes may still wait there.
        case .alreadySeen where receipt.map { $0.state != .done } == true:
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
