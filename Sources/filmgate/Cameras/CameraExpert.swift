import FilmgateCore
import PTPKit

/// A camera module, as far as it says which cameras are its own and how they are reached.
struct CameraExpert: Sendable {
    let name: String
    let match: @Sendable (DeviceInfo, USBIdentity?) -> CameraMatch?
    let handler: any ManufacturerHandler
    var quirks: Quirks { handler.quirks }
    let door: @Sendable (CameraHost) throws(IngestError) -> any CameraDoor

    private init<M: CameraModule>(_: M.Type, _ context: ModuleContext) throws(IngestError) {
        let module = try M(M.Config(), context)
        name = M.manifest.name
        match = { module.handler.match($0, usb: $1) }
        handler = module.handler
        door = { host throws(IngestError) in try module.door(to: host) }
    }

    /// All of them, in the order in which they are asked.
    static func all(_ workplace: Workplace) throws(IngestError) -> [CameraExpert] {
        var lookup = Lookup()
        lookup.services = workplace.cameraServices + workplace.buses.map { $0 as any Sendable }
        let options = workplace.options
        let context = ModuleContext(name: "cameras", logger: options.logger, state: options.stateDirectory, lookup: lookup)
        var experts: [CameraExpert] = []
        for module in Modules.cameras { experts.append(try expert(module, context)) }
        return experts
    }

    private static func expert<M: CameraModule>(_ module: M.Type, _ context: ModuleContext) throws(IngestError) -> CameraExpert {
        try CameraExpert(module, context)
    }

    /// How a host may be spoken to: the common way first, unless its port is another way's own.
    ///
    /// `scheme`: only the way whose addresses begin so.
    static func ways(to host: CameraHost, scheme: String? = nil, among experts: [CameraExpert]) throws(IngestError) -> [any CameraDoor] {
        var own: [any CameraDoor] = [], others: [any CameraDoor] = [], seen: Set<String> = []
        for expert in experts.reversed() {
            let door = try expert.door(host)
            let isMeant = scheme.map { door.address.hasPrefix($0 + "://") } ?? true
            guard isMeant, seen.insert(door.address).inserted else { continue }
            let usual = try expert.door(CameraHost(host.host)).address
            if host.port != nil, usual == door.address { own.append(door) } else { others.append(door) }
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
    static func taking(_ info: DeviceInfo, _ usb: USBIdentity?, among experts: [CameraExpert]) -> (
        expert: CameraExpert, match: CameraMatch
    )? {
        for expert in experts { if let match = expert.match(info, usb) { return (expert, match) } }
        return nil
    }
}
