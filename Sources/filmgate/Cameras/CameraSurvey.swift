import FilmgateCore
import PTPKit
import USBKit

/// Looks at every camera that can be reached, side by side, and lets each go again.
struct CameraSurvey {
    let experts: [CameraExpert]
    let porch: CameraPorch
    let host: USBHost

    /// What is plugged in, in the order of the bus, then what answers at the addresses given.
    func run(_ hosts: [CameraHost]) async throws(IngestError) -> [CameraFacts] {
        var looks: [(CameraFacts, any CameraDoor)] = []
        for (device, interface) in USBCameraBus(host).cameras() {
            var facts = CameraFacts(device)
            facts.holders = host.holders(of: device, interface)
            looks.append((facts, USBDoor(host: host, device: device, interface: interface, patience: .zero)))
        }
        guard let first = experts.last else { return [] }
        for host in hosts {
            let door = try first.door(host)
            looks.append((CameraFacts(address: door.address), door))
        }
        return await withTaskGroup(of: (Int, CameraFacts).self) { group in
            for (index, (facts, door)) in looks.enumerated() { group.addTask { (index, await look(facts, door)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func look(_ known: CameraFacts, _ door: any CameraDoor) async -> CameraFacts {
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
        } catch { facts.failure = IngestError(error, camera: known.model.isEmpty ? door.address : known.model) }
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
