import FilmgateCore
import FilmgateEngine
import GPhoto2Source
import PTPKit
import USBKit

/// One camera and the module that takes it.
struct CameraChoice: Sendable {
    enum Place: Sendable { case usb(USBDevice), network(CameraHost), gphoto(SourcePlace) }
    var place: Place
    var module: String
    let bus: OneCameraBus

    /// The pipeline's own entry for that module, else a new one, narrowed to this camera.
    func use(among sources: [ModuleUse]) -> ModuleUse {
        var use =
            sources.first { $0.module == module }
            ?? ModuleUse(name: module, module: module, node: ConfigNode(.map([])), mark: Mark())
        switch place {
        case .usb:
            use.node.set("hosts", ConfigNode(.list([])))
            use.node.set("usb", "true")
        case .network(let host):
            use.node.set("hosts", ConfigNode(.list([ConfigNode(.scalar(host.shown ?? host.host, quoted: true))])))
            use.node.set("usb", "false")
        case .gphoto(let place):
            use.node.set("port", ConfigNode(.scalar(GPhoto2Source.port(of: place), quoted: true)))
            use.node.set("model", ConfigNode(.scalar(place.label, quoted: true)))
        }
        return use
    }
}

/// A bus on which only one camera is seen.
///
/// While that one is away, those of its kind are: it may have been plugged in elsewhere.
struct OneCameraBus: CameraBus {
    var connector: USBCameraConnector?

    func connectors() throws(PTPError) -> [any CameraConnector] {
        guard let connector else { return [] }
        let cameras = USBCameraBus(connector.host).cameras()
        if cameras.contains(where: { $0.device.isSame(as: connector.device) }) { return [connector] }
        return cameras.filter { $0.device.isKind(of: connector.device) }.map { camera in
            USBCameraConnector(host: connector.host, device: camera.device, interface: camera.interface)
        }
    }
}

/// Finds the camera that a person means.
struct CameraChooser {
    let context: CommandContext
    let host = USBHost()

    /// `notFound` when there is none, or more than one; `misconfigured` for a module that is none.
    ///
    /// With a limit, one that is not there yet is looked for as long; with `awaitingBusy`, also one that is busy or in
    /// other hands.
    func choose(
        _ id: String, via: String?, within limit: Duration? = nil, awaitingBusy: Bool = true
    ) async throws(IngestError) -> CameraChoice {
        let end = ContinuousClock.now + (limit ?? .zero)
        var isFirst = true
        while true {
            let found = await Result { () async throws(IngestError) in
                try await look(for: id, via: via, within: limit)
            }
            if case .success(let choice?) = found { return choice }
            var reason: IngestError?
            if case .failure(let error) = found {
                let mayPass = error.code == .deviceGone || (awaitingBusy && error.code == .deviceBusy)
                guard mayPass, limit != nil, .now < end else { throw error }
                reason = error
            }
            guard limit != nil, .now < end else {
                throw IngestError(
                    .notFound, "No camera `\(id)` is plugged in.", advice: "filmgate cameras lists those that are.")
            }
            if isFirst { tell(waitingFor: id, reason) }
            isFirst = false
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    private func tell(waitingFor id: String, _ reason: IngestError?) {
        context.console.err(
            "Waiting for \(Describe.name(id)) …" + (reason.map { " " + Describe.name($0.message) } ?? ""))
        if let advice = reason?.advice { context.console.err("  → " + Describe.name(advice)) }
    }

    /// Nil when no such camera is there.
    private func look(for id: String, via: String?, within limit: Duration?) async throws(IngestError) -> CameraChoice?
    {
        let matchers = try CameraMatcher.all(context)
        if via == GPhotoCameras.module { return try await gphoto(id) }
        if let via, !matchers.contains(where: { $0.name == via }) {
            let known = (matchers.map(\.name) + [GPhotoCameras.module]).joined(separator: ", ")
            throw IngestError(.misconfigured, "There is no camera module called `\(via)`.", advice: "Known: \(known).")
        }
        let cameras = USBCameraBus(host).cameras()
        let meant = Self.meant(id, among: cameras.map(\.device))
        if meant.count == 1, let camera = cameras.first(where: { $0.device == meant[0] }) {
            let connector = USBCameraConnector(host: host, device: camera.device, interface: camera.interface)
            let name = try await module(connector, via, matchers, label: camera.device.label)
            return CameraChoice(place: .usb(camera.device), module: name, bus: OneCameraBus(connector: connector))
        }
        guard meant.isEmpty else {
            let ids = meant.map { "usb://\($0.address)" }.joined(separator: ", ")
            throw IngestError(
                .notFound, "`\(id)` may mean several cameras: \(ids).", advice: "Name one of them with --camera.")
        }
        guard let address = Self.network(id) else { return try await gphoto(id) }
        if !context.keepsNothing { try context.makeState() }
        let name = if let via { via } else { try await module(at: address, id, matchers, within: limit) }
        return CameraChoice(place: .network(address), module: name, bus: OneCameraBus())
    }

    /// Tries every way to the host; the first failure counts when none leads to a camera.
    private func module(
        at address: CameraHost, _ id: String, _ matchers: [CameraMatcher], within limit: Duration?
    ) async throws(IngestError) -> String {
        let scheme = id.firstRange(of: "://").map { String(id[..<$0.lowerBound]) }
        var failure: IngestError?
        for var connector in try CameraMatcher.ways(to: address, scheme: scheme, among: matchers) {
            if let limit, var plain = connector as? PTPIPCameraConnector {
                plain.transport.answerLimit = min(plain.transport.answerLimit, max(limit, .seconds(2)))
                connector = plain
            }
            do throws(IngestError) { return try await module(connector, nil, matchers, label: id) } catch {
                guard error.code == .deviceGone || error.code == .protocolViolation else { throw error }
                failure = failure ?? error
            }
        }
        throw failure
            ?? IngestError(
                .notFound, "`\(id)` is no address of a camera.", advice: "filmgate cameras lists those that are there.")
    }

    /// The way to a camera that speaks PTP, and the module that takes it.
    func connector(to id: String) async throws(IngestError) -> (connector: any CameraConnector, matcher: CameraMatcher)
    {
        let choice = try await choose(id, via: nil), matchers = try CameraMatcher.all(context)
        guard let matcher = matchers.first(where: { $0.name == choice.module }) else {
            throw IngestError(.rejected, "\(id) speaks no PTP; only sessions in PTP can be recorded.")
        }
        if case .network(let host) = choice.place { return (try matcher.connector(host), matcher) }
        guard let connector = choice.bus.connector else {
            throw IngestError(.notFound, "No camera `\(id)` is plugged in.")
        }
        return (connector, matcher)
    }

    private func module(_ connector: any CameraConnector, _ via: String?, _ matchers: [CameraMatcher], label: String)
        async throws(IngestError)
        -> String
    {
        if let via { return via }
        do throws(PTPError) {
            let (info, _) = try await context.connections.look(connector)
            guard let (matcher, _) = CameraMatcher.taking(info, connector.usb, among: matchers) else {
                throw .sink(IngestError(.notFound, "No module takes \(label)."))
            }
            return matcher.name
        } catch { throw IngestError(error, camera: label) }
    }

    /// What only libgphoto2 sees, or is to take.
    private func gphoto(_ id: String) async throws(IngestError) -> CameraChoice? {
        let places = try await GPhotoCameras(context: context).places()
        let found = GPhotoCameras.meant(id, among: places, devices: host.devices())
        guard let place = found.first ?? Self.network(id).map(GPhotoCameras.place(at:)) else { return nil }
        guard found.count <= 1 else {
            let ids = found.map(\.address).joined(separator: ", ")
            throw IngestError(
                .notFound, "`\(id)` may mean several cameras: \(ids).", advice: "Name one of them with --camera.")
        }
        return CameraChoice(place: .gphoto(place), module: GPhotoCameras.module, bus: OneCameraBus())
    }

    /// Devices that `id` names: by address, port, serial number or a part of the model; `usb` names all.
    static func meant(_ id: String, among devices: [USBDevice]) -> [USBDevice] {
        if id == "usb" { return devices }
        let address = id.hasPrefix("usb://") ? String(id.dropFirst(6)) : id
        let exact = devices.filter {
            [$0.address, $0.port].contains(address) || (!$0.serial.isEmpty && $0.serial == id)
        }
        if !exact.isEmpty { return exact }
        let wanted = id.lowercased()
        return wanted.isEmpty ? [] : devices.filter { ($0.manufacturer + " " + $0.model).lowercased().contains(wanted) }
    }

    /// A network address: `ptpip://…`, or what looks like a host with a dot, a colon or an end such as `localhost`.
    static func network(_ id: String) -> CameraHost? {
        if let range = id.firstRange(of: "://") {
            return id[..<range.lowerBound] == "usb" ? nil : CameraHost(text: String(id[range.upperBound...]))
        }
        return id.contains(".") || id.contains(":") || id == "localhost" ? CameraHost(text: id) : nil
    }
}
