import FilmgateCore

extension DeliveryQueues {
    /// What the queues come to, for the table to carry out.
    indirect enum Effect: Sendable {
        case act(DeliveryAction)
        /// Rows of these deliveries; `withAsset`: their assets' rows before them.
        case write([Row], withAsset: Bool = false, then: DeliveryStep? = nil)
        /// It may stay where it is for long: nobody else shall wait for it.
        case unblock(Delivery.ID)
        case ended(Delivery.ID, Receipt)
        case withhold(Delivery.ID, WithheldDelivery)
        /// Once all that goes before it is done, more may be sent there.
        case pump(String)
    }
    struct Row: Sendable {
        var id: Delivery.ID, receipt: Receipt, nextTry: Int64? = nil
    }
}
