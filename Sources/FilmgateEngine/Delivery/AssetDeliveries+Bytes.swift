import FilmgateCore

/// Where the bytes of an asset are when its deliveries begin.
extension AssetDeliveries {
    /// With staged bytes under the name that they have by now: what the ledger said may be older than their whole name.
    mutating func findBytes(of deliveries: inout [Delivery]) {
        bytes = bytes.found
        for index in deliveries.indices {
            let file = deliveries[index].job.file.found
            if file.path != deliveries[index].job.file.path { deliveries[index].job.file = file }
            deliveries[index].rendition = deliveries[index].rendition?.found
        }
    }

    /// Bytes that were staged anew, and that would wait for a mark or at a target that is held, though a folder may have
    /// them already.
    ///
    /// False where a folder takes the staged file itself: it has it in a moment.
    func areStagedToWait(for deliveries: [Delivery], at queues: DeliveryQueues) -> Bool {
        guard bytes.ownership == .staged, !isRecorded, !receipts.isEmpty else { return false }
        let open = deliveries.filter { $0.rendition == nil && receipts[$0.id.target] == nil }
        let sent = open.filter { $0.verdict == .takes && queues[$0.id.target]?.held == nil }
        return sent.count < open.count && !sent.contains(where: \.target.isLocal)
    }

    /// A folder has the bytes: `deliveries` read them there, and the staged ones go; returns what of the spool is free
    /// with that.
    mutating func read(_ copy: LocalFile, for deliveries: inout [Delivery]) -> UInt64 {
        bytes.discard()
        bytes = copy
        for index in deliveries.indices where deliveries[index].rendition == nil {
            (deliveries[index].job.file, deliveries[index].job.mayTake) = (copy, false)
        }
        defer { budget = 0 }
        return budget
    }
}
