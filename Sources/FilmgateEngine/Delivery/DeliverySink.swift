import FilmgateCore

/// Takes over planned assets: the scheduler delivers them, that of a dry run only says what would happen.
protocol DeliverySink: Actor {
    func submit(_ assetDeliveries: AssetDeliveries, deliveries: [Delivery]) async
    /// True when nothing that waits can move: every queue is held, or there was no progress for `wait`.
    func isStuck(_ wait: Duration) -> Bool
}

extension DeliverySink {
    func submit(_ planned: NamePlanner.PlannedAsset) async {
        await submit(planned.assetDeliveries, deliveries: planned.deliveries)
    }
}

extension DeliveryScheduler: DeliverySink {}

/// A dry run's deliveries: decides exactly as the scheduler would, writes nothing.
actor DryRunScheduler: DeliverySink {
    private let statistics: RunStatistics
    /// Why nothing would be sent.
    private let held: IngestError?
    private let answers: TargetAnswers
    /// Names of copies that would be made, folded.
    private var taken: Set<String> = []
    private var promised: [Delivery.ID: (receipt: Receipt, twin: String)] = [:]

    init(_ statistics: RunStatistics, held: IngestError? = nil, answers: TargetAnswers = TargetAnswers()) {
        (self.statistics, self.held, self.answers) = (statistics, held, answers)
    }

    func submit(_ assetDeliveries: AssetDeliveries, deliveries: [Delivery]) async {
        var assetDeliveries = assetDeliveries
        for delivery in deliveries {
            var receipt: Receipt
            if let failed = assetDeliveries.receipts[delivery.id.target], failed.state == .failed {
                receipt = failed
                promised[delivery.id] = (failed, assetDeliveries.asset.origin.absolutePath)
            } else if let waiting = delivery.verdict.receipt {
                receipt = waiting
            } else if let held {
                receipt = Receipt(state: .held, reason: held.description)
            } else if let earlier = promised[delivery.id] {
                receipt = earlier.receipt
                receipt.existed = true
                assetDeliveries.twin = assetDeliveries.twin ?? earlier.twin
            } else {
                receipt = await answer(delivery)
                promised[delivery.id] = (receipt, assetDeliveries.asset.origin.absolutePath)
            }
            assetDeliveries.receipts[delivery.id.target] = receipt
        }
        statistics.settle(assetDeliveries.result)
    }

    func isStuck(_ wait: Duration) -> Bool { false }

    private func answer(_ delivery: Delivery) async -> Receipt {
        let taken = taken, root = delivery.target.traits.localRoot.map { $0 + "/" } ?? ""
        let receipt = await answers.awaited(delivery.target) {
            await DeliveryAttempt.rehearse(delivery) { path in taken.contains(SafeName.folded(root + path)) }
        }
        if let path = receipt.path { self.taken.insert(SafeName.folded(path)) }
        return receipt
    }
}
