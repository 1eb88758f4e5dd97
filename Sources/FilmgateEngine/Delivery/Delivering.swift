import FilmgateCore

/// Takes over placed assets: the dispatcher delivers them, the rehearsal of a dry run only says what would happen.
protocol Delivering: Actor {
    func submit(_ consignment: Consignment, parcels: [Parcel]) async
    /// True when nothing that waits can move: every queue is held, or there was no progress for `wait`.
    func isStuck(_ wait: Duration) -> Bool
}

extension Dispatcher: Delivering {}

/// A dry run's deliveries: decides exactly as the dispatcher would, writes nothing.
actor Rehearsal: Delivering {
    private let tally: Tally
    /// Why nothing would be sent.
    private let held: IngestError?
    /// Names of copies that would be made, folded.
    private var taken: Set<String> = []
    private var promised: [Parcel.ID: (receipt: Receipt, twin: String)] = [:]

    init(tally: Tally, held: IngestError? = nil) { (self.tally, self.held) = (tally, held) }

    func submit(_ consignment: Consignment, parcels: [Parcel]) async {
        var consignment = consignment
        for parcel in parcels {
            var receipt: Receipt
            if let held {
                receipt = Receipt(state: .held, reason: held.description)
            } else if let earlier = promised[parcel.id] {
                receipt = earlier.receipt
                receipt.existed = true
                consignment.twin = consignment.twin ?? earlier.twin
            } else {
                receipt = await answer(parcel)
                promised[parcel.id] = (receipt, consignment.asset.origin.absolutePath)
            }
            consignment.receipts[parcel.id.target] = receipt
        }
        var asset = consignment.asset
        asset.receipts = consignment.named
        let ending = Dispatcher.ending(consignment.receipts.values)
        var settled = Settled(asset: asset, ending: ending, reason: Dispatcher.reason(ending, asset.receipts), twin: consignment.twin)
        (settled.captured, settled.photographer) = (consignment.shot.captured, consignment.shot.photographer)
        tally.settle(settled)
    }

    func isStuck(_ wait: Duration) -> Bool { false }

    private func answer(_ parcel: Parcel) async -> Receipt {
        let taken = taken, root = parcel.target.traits.localRoot.map { $0 + "/" } ?? ""
        let receipt = await Courier.rehearse(parcel) { path in taken.contains(SafeName.folded(root + path)) }
        if let path = receipt.path { self.taken.insert(SafeName.folded(path)) }
        return receipt
    }
}
