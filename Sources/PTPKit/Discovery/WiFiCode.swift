import FilmgateCore

/// What a camera's code says about the network that it opens.
public struct WiFiCode: Sendable, Hashable {
    public var network: String, password: String
    public var model: String, device: String

    public init(network: String, password: String, model: String = "", device: String = "") {
        (self.network, self.password, self.model, self.device) = (network, password, model, device)
    }

    /// The command by which NetworkManager joins the network, for a shell.
    ///
    /// Whatever the code holds is a word of it and nothing else.
    public var joining: String {
        "nmcli device wifi connect \(ShellWord.quoted(network)) password \(ShellWord.quoted(password))"
    }
}
