import FilmgateCore

/// Why a delivery is not sent now: what another station does, or says that it did, or that its target has the bytes and
/// has not answered yet, or refuses this one and takes others.
struct WithheldDelivery: Sendable {
    /// Pending while another station is at it, held where a person has to look, excluded where it is not wanted any
    /// more.
    var receipt: Receipt
    /// When the catalogue is asked again; nil = when a person says so, or at the next run.
    var again: Duration?
    /// The station that sends it.
    var station: String?

    init(_ state: Receipt.State, _ reason: String, again: Duration? = nil) {
        receipt = Receipt(state: state, reason: reason)
        self.again = again
    }

    /// Refused alone.
    static func refused(_ error: IngestError) -> WithheldDelivery {
        WithheldDelivery(.held, "\(error.message) Others are taken; it is tried again later.", again: .seconds(60))
    }

    /// The run waits for it.
    var isExpected: Bool { receipt.state == .pending }
}

extension Delivery {
    /// In no queue, until the catalogue is asked again.
    var isWithheld: Bool { if case .withheld = state { true } else { false } }
}

/// How long another station is waited for before the catalogue is asked again.
struct ClaimPause: Sendable {
    var first = Duration.milliseconds(500), most = Duration.seconds(15)

    /// Doubled with each time, and spread, so that stations do not ask at one moment.
    func after(_ tries: Int, jitter: Double = .random(in: 0...1)) -> Duration {
        let full = min(most, first * (1 << min(tries, 8)))
        return .milliseconds(Int64(full.inSeconds * 1000 * (0.7 + 0.3 * jitter)))
    }
}

extension DeliveryTable {
    /// It leaves its place among those that are sent, and comes back when the catalogue is to be asked again.
    mutating func withhold(_ id: Delivery.ID, _ withheld: WithheldDelivery) {
        guard let delivery = self[id] else { return }
        queues.putAside(id)
        var receipt = withheld.receipt
        receipt.at = delivery.since
        if receipt.state == .excluded { return queues.effect(.ended(id, receipt)) }
        queues.change(id) { ($0.state, $0.withheld, $0.withheldTries) = (.withheld, withheld, $0.withheldTries + 1) }
        if withheld.isExpected { expected.insert(id) }
        if delivery.withheld?.receipt != withheld.receipt {
            queues.effect(.write([DeliveryQueues.Row(id: id, receipt: receipt)], withAsset: true))
        }
        queues.effect(.unblock(id))
        if let again = withheld.again { queues.effect(.act(.wait(until: queues.now.instant + again, .claimDue(id)))) }
    }

    /// The catalogue, or the target that refused it alone, is asked again, if it waits for that.
    mutating func askAgain(_ id: Delivery.ID) {
        guard self[id]?.isWithheld == true, !queues.isStopped, !queues.isWindingDown else { return }
        expected.remove(id)
        queues.enqueue(id)
    }

    /// A person wants what waits at the target of that name tried now, with `anyway` also what another station may have
    /// sent; of these contents alone, where they are named.
    mutating func askAgain(at name: String?, of contents: Set<ContentKey>?, anyway: Bool) {
        for (id, delivery) in queues.all where delivery.isWithheld && (name == nil || delivery.target.name == name) {
            if contents?.contains(id.content) == false { continue }
            if anyway { queues.change(id) { $0.goesAnyway = true } }
            askAgain(id)
        }
    }
}
