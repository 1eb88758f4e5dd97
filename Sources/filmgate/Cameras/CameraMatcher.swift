import FilmgateCore
import PTPKit

/// A camera module, as far as it says which cameras are its own and how they are reached.
struct CameraMatcher: Sendable {
    let name: String
    let match: @Sendable (DeviceInfo, USBIdentity?) -> CameraMatch?
    let handler: any ManufacturerHandler
    var quirks: Quirks { handler.quirks }
    let connector: @Sendable (CameraHost) throws(IngestError) -> any CameraConnector

    private init<M: CameraModule>(_: M.Type, _ context: ModuleContext) throws(IngestError) {
        let module = try M(M.Config(), context)
        name = M.manifest.name
        match = { module.handler.match($0, usb: $1) }
        handler = module.handler
        connector = { host throws(IngestError) in try module.connector(to: host) }
    }

    /// All of them, in the order in which they are asked.
    static func all(_ context: CommandContext) throws(IngestError) -> [CameraMatcher] {
        var lookup = Lookup()
        lookup.services = context.cameraServices + context.buses.map { $0 as any Sendable }
        let moduleContext = ModuleContext(
            name: "cameras", logger: context.logger, state: context.state, lookup: lookup)
        var matchers: [CameraMatcher] = []
        for module in Modules.cameras { matchers.append(try matcher(module, moduleContext)) }
        return matchers
    }

    private static func matcher<M: CameraModule>(_ module: M.Type, _ context: ModuleContext) throws(IngestError)
        -> CameraMatcher
    {
        try CameraMatcher(module, context)
    }

    /// How a host may be spoken to: the common way first, unless its port is another way's own.
    ///
    /// `scheme`: only the way whose addresses begin so.
    static func ways(to host: CameraHost, scheme: String? = nil, among matchers: [CameraMatcher]) throws(IngestError)
        -> [any CameraConnector]
    {
        var own: [any CameraConnector] = [], others: [any CameraConnector] = [], seen: Set<String> = []
        for matcher in matchers.reversed() {
            let connector = try matcher.connector(host)
            let isMeant = scheme.map { connector.address.hasPrefix($0 + "://") } ?? true
            guard isMeant, seen.insert(connector.address).inserted else { continue }
            let usual = try matcher.connector(CameraHost(host.host)).address
            if host.port != nil, usual == connector.address { own.append(connector) } else { others.append(connector) }
        }
        return own + others
    }

    /// True when another way of speaking to the host may do better.
    static func isWorthAnotherWay(_ error: PTPError) -> Bool {
        switch error {
        case .gone, .absent(_, .refused), .malformed, .truncated: true
        default: false
        }
    }

    /// Who takes a camera, and by which line of its table.
    static func taking(_ info: DeviceInfo, _ usb: USBIdentity?, among matchers: [CameraMatcher]) -> (
        matcher: CameraMatcher, match: CameraMatch
    )? {
        for matcher in matchers { if let match = matcher.match(info, usb) { return (matcher, match) } }
        return nil
    }
}
