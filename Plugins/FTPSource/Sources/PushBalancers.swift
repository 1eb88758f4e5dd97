import FTPKit
import FilmgateCore

/// Who may say that it speaks for a client.
struct PushBalancers: ConfigSection {
    var from: [String] = []
    static let schema: Schema<Self> = [
        .field(
            "from", \.from,
            "The balancer's addresses or networks, such as 10.0.0.2 or 10.0.0.0/24; nobody else is let in."
        ).required()
    ]

    var ranges: [PeerRange] { from.compactMap { PeerRange($0) } }

    func validate(at node: ConfigNode) throws(ConfigError) {
        let mark = node["from"]?.mark ?? node.mark
        guard !from.isEmpty else {
            throw ConfigError(
                mark, "bad-option", "Without an address of a balancer nobody could connect.",
                hint: "Write `proxy_protocol: { from: [10.0.0.2] }`.")
        }
        if let wrong = from.first(where: { PeerRange($0) == nil }) {
            throw ConfigError(
                mark, "bad-option", "`\(wrong)` is no address of a balancer, and no network.",
                hint: "Write an IP address such as 10.0.0.2, or a network such as 10.0.0.0/24.")
        }
    }
}
