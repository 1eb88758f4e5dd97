/// One line of a make's match table: which cameras its handler takes.
///
/// Everything that is given must fit.
public struct CameraMatch: Sendable, Hashable {
    /// USB vendor, and product where only some bodies fit.
    public var vendor: UInt16?, product: UInt16?
    /// Found in DeviceInfo's manufacturer or model, case ignored.
    public var manufacturer: String?, model: String?
    /// DeviceInfo's model, letter for letter, case ignored.
    public var exactModel: String?
    /// Operations that the camera must list.
    public var operations: Set<OperationCode>
    /// Fits only a camera that came by USB.
    public var onlyUSB = false
    /// What this line changes for the bodies that it fits.
    public var quirks: Quirks?
    /// Said by `filmgate cameras`: why this module takes the camera.
    public var because: String

    public init(
        _ because: String, vendor: UInt16? = nil, product: UInt16? = nil, manufacturer: String? = nil,
        model: String? = nil, exactModel: String? = nil, operations: Set<OperationCode> = [], onlyUSB: Bool = false,
        quirks: Quirks? = nil
    ) {
        (self.because, self.vendor, self.product, self.manufacturer, self.model) = (
            because, vendor, product, manufacturer, model
        )
        self.exactModel = exactModel
        (self.operations, self.onlyUSB, self.quirks) = (operations, onlyUSB, quirks)
    }

    /// True when the camera, as far as it is known, is one of ours.
    ///
    /// USB ids are compared only where the camera came by USB.
    public func fits(_ info: DeviceInfo, usb: USBIdentity?) -> Bool {
        if onlyUSB, usb == nil { return false }
        if let vendor, let usb, vendor != usb.vendor { return false }
        if let product, product != usb?.product { return false }
        if vendor != nil, usb == nil, manufacturer == nil, model == nil, operations.isEmpty { return false }
        if let manufacturer, !info.manufacturer.lowercased().contains(manufacturer.lowercased()) { return false }
        if let model, !info.model.lowercased().contains(model.lowercased()) { return false }
        if let exactModel, info.model.lowercased() != exactModel.lowercased() { return false }
        return operations.isSubset(of: info.operations)
    }
}

public struct USBIdentity: Sendable, Hashable {
    public var vendor: UInt16, product: UInt16
    public init(vendor: UInt16, product: UInt16) { (self.vendor, self.product) = (vendor, product) }
}
