import FilmgateCore
import PTPKit
import USBKit

/// Looks at every camera that can be reached, side by side, and lets each go again.
struct CameraSurvey {
    let experts: [CameraExpert]
    let porch: CameraPorch
    let host: USBHost

    /// What is plugged in, in the order of the bus, what is at the addresses given, and who of the candidates answers.
    func run(_ hosts: [CameraHost], candidates: [CameraHost], _ finder: CameraFinder) async throws(IngestError) -> [CameraFacts] {
        var looks: [(CameraFacts, any CameraDoor)] = []
        for (device, interface) in USBCameraBus(host).cameras() {
            var facts = CameraFacts(device)
            facts.holders = host.holders(of: device, interface)
            looks.append((facts, USBDoor(host: host, device: device, interface: interface, patience: .zero)))
        }
        guard let first = experts.last else { return [] }
        for host in hosts {
            let door = try first.door(host)
            var facts = CameraFacts(address: door.address)
            facts.isNamed = true
            looks.append((facts, door))
        }
        let asked = looks.count
        let candidates = candidates.filter { !hosts.contains($0) }
        for host in candidates {
            var door = try first.door(host)
            if var quick = door as? PTPIPDoor {
                quick.connector.connectLimit = .milliseconds(1500)
                door = quick
            }
            looks.append((CameraFacts(address: door.address), door))
        }
        let found = await all(looks, finder)
        for (host, facts) in zip(candidates, found[asked...]) { if facts.module != nil { finder.found(host, facts.label) } }
        return Array(found[..<asked]) + found[asked...].filter { $0.isThere }
    }

    private func all(_ looks: [(CameraFacts, any CameraDoor)], _ finder: CameraFinder) async -> [CameraFacts] {
        await withTaskGroup(of: (Int, CameraFacts).self) { group in
            for (index, (facts, door)) in looks.enumerated() { group.addTask { (index, await look(facts, door, finder)) } }
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

    private func look(_ known: CameraFacts, _ door: any CameraDoor, _ finder: CameraFinder) async -> CameraFacts {
        var facts = known
        do throws(PTPError) {
            let guest = try await porch.take(door, for: "cameras")
            facts.learn(guest.info)
            if let (expert, match) = CameraExpert.taking(guest.info, door.usb, among: experts) {
                (facts.module, facts.because) = (expert.name, match.because)
                // Some bodies must not be closed: that is the make's knowledge.
                await guest.camera.apply(match.quirks ?? expert.quirks)
            }
            (facts.battery, facts.storages) = await guest.camera.inventory()
            await guest.camera.close()
        } catch {
            facts.failure = IngestError(error, camera: known.model.isEmpty ? door.address : known.model)
            if door.usb == nil { finder.failed(door.address, error) }
        }
        porch.left(door.address)
        return facts
    }
}

extension PTPCamera {
    /// What the standard lets everybody ask; what the camera refuses is left out.
    func inventory() -> (battery: Int?, storages: [CameraFacts.Storage]) {
        var battery: Int?
        if info.properties.contains(.batteryLevel),
            let bytes = try? read(.getDevicePropValue, UInt32(DevicePropertyCode.batteryLevel.rawValue))
        {
            battery = bytes.first.map(Int.init)
        }
        let storages = ((try? storages()) ?? []).prefix(16).compactMap { id in
            (try? storageInfo(id)).map { CameraFacts.Storage(id: id, info: $0) }
        }
        return (battery, Array(storages))
    }
}
