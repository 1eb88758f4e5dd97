import FileKit
import FilmgateCore

/// On how many places a file's good copies lie: devices that share no storage, and beside them one place for all
/// targets elsewhere.
struct CopyPlaces {
    private var devices: [String] = [], hasTarget = false

    var count: Int { devices.count + (hasTarget ? 1 : 0) }

    /// `media` tells what two paths have in common; without it their device numbers do.
    mutating func add(_ delivery: DeliveryRow, _ media: Media?) { add(path: delivery.receipt.path, media) }

    /// `path` is nil for a copy at a target elsewhere.
    mutating func add(path: String?, _ media: Media?) {
        guard let path else { return hasTarget = true }
        if !devices.contains(where: { media?.areShared(by: $0, path) ?? FileSystem.same($0, path) }) {
            devices.append(path)
        }
    }

    func tooFew(of wanted: Int) -> String {
        "\(wanted) copies are asked for, on different devices or on a device and at a target: it is \(description)"
    }
}

extension CopyPlaces: CustomStringConvertible {
    var description: String {
        let places =
            devices.isEmpty ? "at no device of yours" : "on \(devices.count) device\(devices.count == 1 ? "" : "s")"
        return places + (hasTarget ? " and at a target" : "")
    }
}
