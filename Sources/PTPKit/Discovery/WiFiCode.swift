/// What a camera's code says about the network that it opens.
public struct WiFiCode: Sendable, Hashable {
    public var network: String, password: String
    public var model: String, device: String

    public init(network: String, password: String, model: String = "", device: String = "") {
        (self.network, self.password, self.model, self.device) = (network, password, model, device)
    }
}
