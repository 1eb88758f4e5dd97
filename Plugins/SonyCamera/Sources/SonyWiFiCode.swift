public import PTPKit

/// The text of the code that a Sony body shows: `W01:S:<network>;P:<password>;C:<model>;M:<device>;`.
public enum SonyWiFiCode {
    /// Nil for any other text, and where network or password are missing.
    ///
    /// The network is `DIRECT-<S>:<C>` unless S is the whole name already. Longer texts than 512 bytes are no code.
    public static func read(_ text: String) -> WiFiCode? {
        guard text.hasPrefix("W01:"), text.utf8.count <= 512 else { return nil }
        var fields: [Substring: String] = [:]
        for part in text.dropFirst(4).split(separator: ";") {
            guard let colon = part.firstIndex(of: ":") else { continue }
            let key = part[..<colon]
            if fields[key] == nil { fields[key] = String(part[part.index(after: colon)...]) }
        }
        guard let name = fields["S"], let password = fields["P"], !name.isEmpty, !password.isEmpty else { return nil }
        let model = fields["C"] ?? ""
        let network = name.hasPrefix("DIRECT-") ? name : "DIRECT-\(name)" + (model.isEmpty ? "" : ":\(model)")
        return WiFiCode(network: network, password: password, model: model, device: fields["M"] ?? "")
    }
}
