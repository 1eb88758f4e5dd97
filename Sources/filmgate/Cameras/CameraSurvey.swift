import FilmgateCore
import PTPKit
import USBKit

/// Looks at every camera that can be reached, side by side, and lets each go again.
struct CameraSurvey {
    let matchers: [CameraMatcher]
    let connections: CameraConnections
    let host: USBHost

    /// What is plugged in, in the order of the bus, what is at the addresses given, and who of the candidates answers.
    func run(_ hosts: [CameraHost], candidates: [CameraHost], _ finder: CameraFinder) async throws(IngestError)
        -> [CameraFacts]
    {
        var looks: [(CameraFacts, [any CameraConnector])] = []
        for (device, interface) in USBCameraBus(host).cameras() {
            var facts = CameraFacts(device)
            facts.holders = host.holders(of: device, interface)
            looks.append(
                (facts, [USBCameraConnector(host: host, device: device, interface: interface, patience: .zero)]))
        }
        for host in hosts {
            let connectors = try CameraMatcher.ways(to: host, among: matchers)
            guard let first = connectors.first else { continue }
            var facts = CameraFacts(address: first.address)
            facts.isNamed = true
            looks.append((facts, connectors))
        }
        let asked = looks.count, plugged = asked - hosts.count
        let candidates = candidates.filter { !hosts.contains($0) }
        for host in candidates {
            let connectors = try CameraMatcher.ways(to: host, among: matchers).map { connector -> any CameraConnector in
                guard var quick = connector as? PTPIPCameraConnector else { return connector }
                (quick.transport.connectLimit, quick.patience) = (.milliseconds(1500), .zero)
                return quick
            }
            guard let first = connectors.first else { continue }
            looks.append((CameraFacts(address: first.address), connectors))
        }
        let found = await all(looks, finder)
        for (host, facts) in zip(hosts, found[plugged..<asked]) {
            if facts.module != nil { finder.remember(host, facts.label) }
        }
        for (host, facts) in zip(candidates, found[asked...]) {
            if facts.module != nil { finder.found(host, facts.label) }
        }
        return Array(found[..<asked]) + found[asked...].filter { $0.isThere }
    }

    private func all(_ looks: [(CameraFacts, [any CameraConnector])], _ finder: CameraFinder) async -> [CameraFacts] {
        await withTaskGroup(of: (Int, CameraFacts).self) { group in
            for (index, (facts, connectors)) in looks.enumerated() {
                group.addTask { (index, await look(facts, connectors, finder)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// What libgphoto2 finds goes to it where no module of ours takes the camera.
    static func adding(_ places: [SourcePlace], to native: [CameraFacts]) -> [CameraFacts] {
        var all = native
        for place in places {
            let because = "libgphoto2 knows it as \(place.label)"
            if let index = all.firstIndex(where: { $0.address == place.address }) {
                guard all[index].module == nil else { continue }
                (all[index].module, all[index].because) = (place.source, because)
            } else {
                var facts = CameraFacts(address: place.address)
                (facts.model, facts.module, facts.because) = (place.label, place.source, because)
                all.append(facts)
            }
        }
        return all
    }

    /// By the first connector that reaches a camera; else what the first one came to.
    private func look(_ known: CameraFacts, _ connectors: [any CameraConnector], _ finder: CameraFinder) async
        -> CameraFacts
    {
        var first: (facts: CameraFacts, error: PTPError)?
        for connector in connectors {
            var facts = known
            if connector.usb == nil { facts.address = connector.address }
            guard let error = await look(connector, &facts) else { return facts }
            first = first ?? (facts, error)
            // Where nobody is at all, nobody need be asked in other ways.
            if !CameraMatcher.isWorthAnotherWay(error) { break }
        }
        guard let first else { return known }
        if known.usb == nil { finder.failed(first.facts.address, first.error) }
        return first.facts
    }

    private func look(_ connector: any CameraConnector, _ facts: inout CameraFacts) async -> PTPError? {
        defer { connections.left(connector.address) }
        do throws(PTPError) {
            let opened = try await connections.take(connector, for: "cameras")
            facts.learn(opened.info)
            if let (matcher, match) = CameraMatcher.taking(opened.info, connector.usb, among: matchers) {
                (facts.module, facts.because) = (matcher.name, match.because)
                // Some bodies must not be closed: that is the make's knowledge.
                await opened.camera.apply(match.quirks ?? matcher.quirks)
            }
            let inventory = await CameraFacts.inventory(opened.camera)
            (facts.battery, facts.storages, facts.hasCard) = (inventory.battery, inventory.storages, inventory.hasCard)
            await opened.camera.close()
            return nil
        } catch {
            facts.failure = IngestError(error, camera: facts.model.isEmpty ? connector.address : facts.model)
            return error
        }
    }
}

extension CameraFacts {
    /// What the standard lets everybody ask; what the camera refuses is left out.
    static func inventory(
        _ camera: isolated PTPCamera
    ) -> (battery: Int?, storages: [Storage], hasCard: Bool?) {
        let battery = camera.batteryLevel()
        guard let ids = try? camera.storages() else { return (battery, [], nil) }
        let told = ids.prefix(16).compactMap { id in (try? camera.storageInfo(id)).map { Storage(id: id, info: $0) } }
        // What cannot be asked about may be one.
        let hasCard: Bool? = told.contains { $0.info.capacity > 0 } ? true : told.count == ids.count ? false : nil
        return (battery, told.filter { $0.info.capacity > 0 }, hasCard)
    }
}
