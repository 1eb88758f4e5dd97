public import FilmgateCore
import Synchronization

/// Where one credential may go: the origins named in its options, or else those that targets declared for it while they
/// were built.
///
/// Anything else is refused: a redirect, an address in a server's answer, a slip in the file. Plain http is refused
/// too, except to this machine, unless the options allow it.
public final class CredentialScope: Sendable {
    private let name: String
    private let fixed: Set<String>
    private let plain: Bool
    private let bound = Mutex<Set<String>>([])
    /// Where the plan being built collects them.
    private let places = CredentialPlaces.current

    /// `name` as the pipeline file calls the entry; `origins` as validated by `check`.
    public init(_ name: String, origins: [String], plainHTTP: Bool) {
        (self.name, plain) = (name, plainHTTP)
        fixed = Set(origins.compactMap { WebAddress($0)?.origin })
    }

    /// Finds what is wrong with an `origins` option; for `ModuleConfig.validate`.
    public static func check(_ origins: [String], at node: ConfigNode) throws(ConfigError) {
        for (index, text) in origins.enumerated() {
            if let address = WebAddress(text), address.path == "/", address.query == nil { continue }
            var mark = node.mark
            if let list = node["origins"], case .list(let items) = list.value, items.indices.contains(index) {
                mark = items[index].mark
            }
            throw ConfigError(
                mark, "bad-origin", "`\(text)` is not an origin.",
                hint: "Write scheme and host, such as https://gallery.example.")
        }
    }

    /// A target's declaration.
    ///
    /// `misconfigured` when the options name other origins.
    public func bind(_ address: String) throws(IngestError) {
        guard let origin = WebAddress(address)?.origin else {
            throw IngestError(.misconfigured, "`\(address)` is not a web address.")
        }
        guard fixed.isEmpty || fixed.contains(origin) else {
            throw IngestError(
                .misconfigured,
                "The sign-in `\(name)` is bound to \(fixed.sorted().joined(separator: ", ")), not to \(origin).",
                advice: "Add the origin to its `origins`, or give that target a sign-in of its own.")
        }
        bound.withLock { _ = $0.insert(origin) }
        places?.add(origin)
    }

    /// All origins that it may go to.
    public var origins: [String] { fixed.union(bound.withLock { $0 }).sorted() }

    /// `untrusted` unless the request goes where the credential may go.
    public func require(_ request: HTTPRequest) throws(IngestError) {
        guard let address = WebAddress(request.url),
            bound.withLock({ $0.contains(address.origin) }) || fixed.contains(address.origin)
        else {
            let place = WebAddress(request.url)?.origin ?? "that address"
            throw IngestError(.untrusted, "The sign-in `\(name)` is not meant for \(place); nothing was sent.")
        }
        guard address.isEncrypted || address.isLoopback || plain else {
            throw IngestError(
                .untrusted,
                "The sign-in `\(name)` would cross the network readable by anyone (\(address.origin) is plain http); nothing was sent.",
                advice: "Use an https address. In a network that you trust, `plain_http: true` allows it.")
        }
    }
}
