import FilmgateCore

@testable import FilmgateEngine

/// What must come of deliveries, told plainly: who has each, what its target said last, and what each asset waits for.
///
/// Knows nothing of queues, states or holds: it is told what happened outside, and compares what the table makes of it.
struct DeliveryModel {
    /// One delivery from its first submission to its end.
    struct Lease {
        /// Those that wait for it; it is delivered for the first, and the others have the same bytes.
        var files: [AssetID]
        /// Bytes of it that arrived changed.
        var corruptions = 0
        /// What it has come to, and whether the ledger knows.
        var end: Receipt?, isWritten = false
    }
    struct File {
        var isRecorded: Bool
        /// What is known of each target that it is for; nil while that is waited for.
        var answers: [String: Receipt?]
        var budget: UInt64
        var endings = 0
    }

    private(set) var leases: [Delivery.ID: Lease] = [:]
    private(set) var files: [AssetID: File] = [:]
    /// What became of deliveries that nobody wants any more.
    private var released: [Delivery.ID: Receipt.State] = [:]
    /// Files that wait for deliveries of another scheduler.
    private(set) var others: [Delivery.ID: Set<AssetID>] = [:]
    /// The last row of each delivery and the last ending of each file that the ledger has.
    private(set) var rows: [Delivery.ID: DeliveryRow] = [:], endings: [AssetID: Ending] = [:]
    private(set) var faults: [String] = []

    mutating func fault(_ words: String) { faults.append(words) }
    mutating func expect(_ isTrue: Bool, _ words: @autoclosure () -> String) { if !isTrue { fault(words()) } }

    // MARK: What happens outside

    mutating func add(_ file: AssetID, isRecorded: Bool, budget: UInt64, known: [String: Receipt]) {
        files[file] = File(isRecorded: isRecorded, answers: known.mapValues { $0 }, budget: budget)
    }

    private mutating func set(_ answer: Receipt?, of target: String, for file: AssetID) {
        files[file]?.answers.updateValue(answer, forKey: target)
    }

    /// The file needs that delivery, which another file's may be.
    mutating func need(_ id: Delivery.ID, for file: AssetID) {
        leases[id, default: Lease(files: [])].files.append(file)
        released[id] = nil
        set(leases[id]?.end.map(Self.before), of: id.target, for: file)
    }

    mutating func follow(_ id: Delivery.ID, for file: AssetID) {
        others[id, default: []].insert(file)
        set(nil, of: id.target, for: file)
    }

    /// The target's answer to a try: nothing but these end a delivery.
    mutating func answer(_ id: Delivery.ID, _ result: Result<Receipt, IngestError>) {
        switch result {
        case .success(let receipt): end(id, receipt)
        case .failure(let error):
            guard error.code.disposition == .setAside, error.code != .nameTaken else { return }
            if error.code == .corruptData, let count = leases[id]?.corruptions, count < 2 {
                leases[id]?.corruptions = count + 1
            } else {
                end(id, Receipt(state: .failed))
            }
        }
    }

    mutating func end(_ id: Delivery.ID, _ receipt: Receipt) {
        guard let lease = leases[id] else { return fault("\(id) ended, and nobody had it") }
        expect(lease.end == nil, "\(id) ended twice")
        leases[id]?.end = receipt
        for (position, file) in lease.files.enumerated() {
            set(position == 0 ? receipt : Self.before(receipt), of: id.target, for: file)
        }
    }

    mutating func hear(_ id: Delivery.ID, _ receipt: Receipt?) {
        for file in others.removeValue(forKey: id) ?? [] {
            let answer = receipt.map { files[file]?.isRecorded == true ? $0 : Self.before($0) }
            set(answer ?? Receipt(state: .pending), of: id.target, for: file)
        }
    }

    /// Another scheduler has it from now on, under another identity.
    mutating func cede(_ old: Delivery.ID, to new: Delivery.ID) {
        for file in leases.removeValue(forKey: old)?.files ?? [] {
            files[file]?.answers.removeValue(forKey: old.target)
            files[file]?.isRecorded = true
            follow(new, for: file)
        }
    }

    static func before(_ receipt: Receipt) -> Receipt {
        var receipt = receipt
        if receipt.state == .done { receipt.existed = true }
        return receipt
    }

    // MARK: What the table wants done

    mutating func commit(_ changes: [LedgerChange]) {
        for change in changes {
            switch change {
            case .asset(let row): endings[row.origin.id] = row.ending
            case .delivery(let row):
                let id = Delivery.ID(content: row.content, target: row.target)
                if leases[id]?.end?.state == row.receipt.state {
                    leases[id]?.isWritten = true
                } else if leases[id]?.isWritten == true
                    || leases[id] == nil && released[id] != nil && released[id] != row.receipt.state
                {
                    fault("a row of \(id) came after its last one: \(row.receipt.state.rawValue)")
                }
                rows[id] = row
            default: break
            }
        }
    }

    /// Whether it may be sent now, as far as the ledger and its holder go.
    mutating func send(_ delivery: Delivery) {
        let id = delivery.id
        guard let lease = leases[id] else { return fault("\(id) is sent, and is not ours") }
        expect(lease.end == nil, "\(id) is sent after its end")
        expect(!delivery.isUnasked, "\(id) is sent under a name that nobody asked about")
        guard !delivery.target.isLocal else { return }
        expect(
            rows[id].map { !$0.receipt.isFinalThere && $0.path == delivery.job.path } == true,
            "\(id) is sent before the ledger knows")
    }

    mutating func release(_ id: Delivery.ID, _ receipt: Receipt) {
        guard let lease = leases.removeValue(forKey: id) else { return fault("\(id) is released twice") }
        released[id] = receipt.state
        expect(lease.end?.state == receipt.state, "\(id) is released as \(receipt.state.rawValue)")
        expect(rows[id]?.receipt.state == receipt.state, "\(id) is released before the ledger knows")
    }

    mutating func settle(_ asset: AssetDeliveries) {
        guard let file = files[asset.id] else {
            return fault("\(asset.asset.origin.name) is settled, and nobody had it")
        }
        expect(file.endings == 0, "\(asset.asset.origin.name) has two endings")
        files[asset.id]?.endings += 1
        let ending = Self.ending(file.answers.values)
        expect(
            asset.ending == ending,
            "\(asset.asset.origin.name) ends as \(asset.ending) in place of \(ending.map { "\($0)" } ?? "none")")
        if !asset.isElsewhere {
            expect(endings[asset.id] == ending, "the ledger does not know how \(asset.asset.origin.name) ends")
        }
    }

    /// Nil while a target owes its answer.
    private static func ending(_ answers: some Collection<Receipt?>) -> Ending? {
        let known = answers.compactMap { $0 }
        guard known.count == answers.count else { return nil }
        if known.contains(where: { $0.state == .failed }) { return .setAside }
        if known.contains(where: { $0.state == .pending || $0.state == .held }) { return .pending }
        let done = known.filter { $0.state == .done }
        return done.isEmpty ? .filtered : done.contains { !$0.existed } ? .delivered : .duplicate
    }

    // MARK: The end of a run

    var unsettled: Set<AssetID> { Set(files.filter { $0.value.endings == 0 }.keys) }

    /// Everything that was begun has ended.
    mutating func checkEnd() {
        for file in unsettled { fault("\(file.rawValue) has no ending") }
        for id in leases.keys { fault("\(id) is never released") }
        for id in others.keys { fault("\(id) is followed for ever") }
    }

    /// The process is gone: what was not written down is to be done anew.
    mutating func crash() {
        (leases, others, released) = ([:], [:], [:])
        for file in unsettled { files[file] = nil }
    }
}
