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
}
