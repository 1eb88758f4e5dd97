public import FilmgateCore

/// A source module for cameras: a handler, its options, and how cameras are reached.
///
/// Finding and opening come with it.
public protocol CameraModule: Module, SourceDriver where Config: CameraConfig {
    associatedtype Handler: ManufacturerHandler
    var handler: Handler { get }
    var options: CameraOptions { get }
    var visit: CameraEnvironment { get }
    /// Operations of the make whose data is a key or leads to one, and is never shown. Default: none.
    static var confidentialOperations: Set<OperationCode> { get }
    /// The way to a camera on the network; the default speaks PTP/IP.
    func connector(to host: CameraHost) throws(IngestError) -> any CameraConnector
}

/// What a camera module needs of the world around it.
public struct CameraEnvironment: Sendable {
    public let context: ModuleContext
    let connections: CameraConnections

    /// Uses the connections and the buses among the context's services, or connections of its own.
    public init(_ context: ModuleContext) {
        self.context = context
        connections = context.lookup.service(CameraConnections.self) ?? CameraConnections()
    }

    var buses: [any CameraBus] { context.lookup.services.compactMap { $0 as? any CameraBus } }

    var finder: CameraFinder? { context.lookup.service(CameraFinder.self) }

    var order: CameraOrder? { context.lookup.service(CameraOrder.self) }

    /// Who we are on the network: kept in the state directory from the first run on.
    ///
    /// Where there is no such directory yet, as before a plan, nothing is written: a passing one.
    public func identity() throws(IngestError) -> InitiatorIdentity {
        if keepsNothing { return IdentityFile.known(context.state) ?? connections.passing }
        return IdentityFile.hasPlace(context.state) ? try IdentityFile.load(context.state) : connections.passing
    }

    var keepsNothing: Bool { context.lookup.service(WritesNothing.self) != nil }
}

extension CameraModule {
    public static var confidentialOperations: Set<OperationCode> { [] }

    public var traits: SourceTraits { SourceTraits(backlog: options.backlog) }

    public func changes() -> AsyncStream<Void>? {
        options.usb ? visit.buses.lazy.compactMap { $0.changes() }.first : nil
    }

    public func connector(to host: CameraHost) throws(IngestError) -> any CameraConnector {
        PTPIPCameraConnector(
            PTPIPConnector(
                host: host.host, port: host.port ?? PTPIPConnector.defaultPort, identity: try visit.identity()))
    }

    /// Cameras that answer now and are this make's.
    ///
    /// `notFound` when addresses were given and no camera answered at any of them.
    public func places() async throws(IngestError) -> [SourcePlace] {
        var places: [SourcePlace] = []
        var failures: [IngestError] = []
        let connectors = try connectors()
        let present = Set(connectors.map(\.connector.address))
        for (connector, host) in connectors {
            let isHost = host != nil
            if let usb = connector.usb, !couldFit(usb) { continue }
            do throws(PTPError) {
                if let place = try await look(connector, isShared: !isHost, among: present) {
                    places.append(place)
                } else if let host, let stranger = try await stranger(behind: connector, at: host) {
                    places.append(stranger)
                }
            } catch {
                let failure = IngestError(error, camera: connector.address)
                if isHost || failure.code != .deviceGone { failures.append(failure) }
            }
        }
        if options.network.isAuto, let finder = visit.finder {
            places += try await search(finder, besides: places.map(\.address))
        }
        if places.isEmpty, let first = failures.first {
            if case .cancelled = first.code { throw first }
            throw failures.first { $0.code == .deviceBusy || $0.code == .accessDenied } ?? Self.nobody(first)
        }
        return places
    }

    private static func nobody(_ first: IngestError) -> IngestError {
        var says = false
        if case .absent? = first.cause as? PTPError { says = true }
        return IngestError(
            .notFound, says ? first.message : "No camera answered. \(first.message)", advice: first.advice, cause: first
        )
    }

    /// A camera that was asked for by its address and is another make's: opening it says so.
    ///
    /// Nil when another source has it.
    private func stranger(behind connector: any CameraConnector, at host: CameraHost) async throws(PTPError)
        -> SourcePlace?
    {
        let (info, source) = try await visit.connections.look(connector)
        guard source == nil, handler.match(info, usb: nil) == nil else { return nil }
        if let order = visit.order, order.isShared(host) || order.taker(of: info, nil) != nil { return nil }
        return SourcePlace(source: Self.manifest.name, address: connector.address, label: CameraNaming.label(info))
    }

    /// The camera that a connector reaches, when it is this make's and nobody else's.
    ///
    /// One that came back at another address is still the place that it was: its session finds it there.
    private func look(_ connector: any CameraConnector, isShared: Bool, among present: Set<String> = [])
        async throws(PTPError)
        -> SourcePlace?
    {
        let (info, source) = try await visit.connections.look(connector)
        if let source, source != Self.manifest.name { return nil }
        guard let match = handler.match(info, usb: connector.usb) else { return nil }
        // A bus, and a search, are everybody's: the pipeline's order says whose the camera is.
        if isShared, let order = visit.order, let taker = order.taker(of: info, connector.usb),
            taker != Self.manifest.name
        {
            return nil
        }
        if source == nil { await visit.connections.apply(match.quirks ?? handler.quirks, to: connector.address) }
        let home = connector.usb == nil ? nil : visit.connections.home(of: info, at: connector.address, among: present)
        return SourcePlace(
            source: Self.manifest.name, address: home ?? connector.address, label: CameraNaming.label(info))
    }

    /// Asks every address that is worth it, side by side; a camera is found when it answers as one.
    private func search(_ finder: CameraFinder, besides known: [String]) async throws(IngestError) -> [SourcePlace] {
        var connectors: [(host: CameraHost, connector: any CameraConnector)] = []
        for host in await finder.candidates() {
            let connector = try quickConnector(to: host)
            if !known.contains(connector.address), finder.recentFailure(connector.address) == nil {
                connectors.append((host, connector))
            }
        }
        return await withTaskGroup(of: (Int, SourcePlace?).self) { group in
            for (index, (host, connector)) in connectors.enumerated() {
                group.addTask {
                    do throws(PTPError) {
                        let place = try await look(connector, isShared: true)
                        if let place { finder.found(host, place.label) }
                        return (index, place)
                    } catch {
                        finder.failed(connector.address, error)
                        return (index, nil)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.compactMap(\.1)
        }
    }

    /// A connector that does not wait for long: most addresses of a search are nobody's.
    private func quickConnector(to host: CameraHost) throws(IngestError) -> any CameraConnector {
        var connector = try connector(to: host)
        if var plain = connector as? PTPIPCameraConnector {
            (plain.transport.connectLimit, plain.patience) = (.milliseconds(1500), .zero)
            connector = plain
        }
        return connector
    }

    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        var connector = try connectors().first { $0.connector.address == place.address }?.connector
        if connector == nil, options.network.isAuto, let range = place.address.firstRange(of: "://"),
            let host = CameraHost(text: String(place.address[range.upperBound...]))
        {
            connector = try self.connector(to: host)
        }
        guard let connector, connector.address == place.address else {
            throw IngestError(.notFound, "\(place.label) is not at \(place.address) any more.")
        }
        let session = try await CameraSession.open(connector, place, handler, options, visit)
        remember(place, connector)
        return session
    }

    /// Where it was met is asked first by the next search.
    private func remember(_ place: SourcePlace, _ connector: any CameraConnector) {
        guard connector.usb == nil, let finder = visit.finder, let range = connector.address.firstRange(of: "://"),
            var host = CameraHost(text: String(connector.address[range.upperBound...]))
        else { return }
        if let usual = try? self.connector(to: CameraHost(host.host)), usual.address == connector.address {
            host.port = nil
        }
        finder.remember(host, place.label)
    }

    /// With the address that the file gives; nil for those on a bus.
    private func connectors() throws(IngestError) -> [(connector: any CameraConnector, host: CameraHost?)] {
        var connectors: [(any CameraConnector, CameraHost?)] = []
        for host in options.hosts { connectors.append((try connector(to: host), host)) }
        guard options.usb else { return connectors }
        for bus in visit.buses {
            do throws(PTPError) { connectors += try bus.connectors().map { ($0, nil) } } catch {
                throw IngestError(error, camera: "USB")
            }
        }
        return connectors
    }

    /// False when the table says by USB numbers alone that the device is somebody else's.
    private func couldFit(_ usb: USBIdentity) -> Bool {
        let vendors = handler.matches.map(\.vendor)
        return vendors.isEmpty || vendors.contains { $0 == nil || $0 == usb.vendor }
    }
}

/// How cameras are called, for people and in the ledger.
enum CameraNaming {
    static func label(_ info: DeviceInfo) -> String {
        let name = info.model.isEmpty ? info.manufacturer : info.model
        let serial = info.serial.drop { $0 == "0" }
        return serial.isEmpty ? (name.isEmpty ? "Camera" : name) : "\(name) (\(serial))"
    }

    /// The same each time the body comes back.
    ///
    /// Without a serial number its GUID tells two bodies apart; without that, too, only the address.
    static func volume(_ info: DeviceInfo, guid: [UInt8], address: String) -> String {
        var name = info.serial
        if !hasSerial(info) {
            name = guid.isEmpty ? "at \(address)" : "guid " + guid.map { hex(UInt64($0), 2) }.joined()
        }
        return "ptp:\(info.manufacturer):\(info.model):\(name)"
    }

    /// True when something tells the body from others of its model.
    static func isNamed(_ info: DeviceInfo, guid: [UInt8]) -> Bool { hasSerial(info) || !guid.isEmpty }

    /// Zeros are what a body writes that has none.
    private static func hasSerial(_ info: DeviceInfo) -> Bool { info.serial.contains { $0 != "0" && $0 != " " } }
}
