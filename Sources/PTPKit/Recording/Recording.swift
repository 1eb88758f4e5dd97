/// What was said between us and a camera, transaction by transaction, whatever carried it.
///
/// Contents of files are not kept, only how long they were; what names a person or a body is scrubbed before it is
/// written.
public struct Recording: Sendable, Hashable {
    /// A data phase from the camera.
    public enum Payload: Sendable, Hashable {
        case bytes([UInt8])
        /// So many bytes of a file, not kept.
        case blank(UInt64)

        public var count: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .blank(let count): count
            }
        }
    }
    public struct Exchange: Sendable, Hashable {
        public var operation: Operation
        /// What we sent in a data phase of our own.
        public var sent: [UInt8]?
        /// What the camera announced and sent; nil where it sent no data.
        public var announced: UInt64?, payload: Payload?
        public var response: ResponseCode?, parameters: [UInt32] = []
        /// Why there was no response, in one word.
        public var failure: String?

        public init(_ operation: Operation, sent: [UInt8]? = nil) { (self.operation, self.sent) = (operation, sent) }
    }
    public enum Item: Sendable, Hashable { case exchange(Exchange), event(PTPEvent) }

    /// Where the camera came by USB.
    public var usb: USBIdentity?
    public var items: [Item] = []

    public init(usb: USBIdentity? = nil) { self.usb = usb }

    public var exchanges: [Exchange] {
        items.compactMap { if case .exchange(let exchange) = $0 { exchange } else { nil } }
    }
}
