import FileKit
import FilmgateCore

/// On how many places a file's good copies lie: devices that share no storage, and beside them one place for all
/// targets elsewhere.
struct CopyPlaces {
    private var devices: [String] = [], hasTarget = false
    /// Shared folders that were counted: the same one mounted twice is one place.
    private var marks: Set<String> = []

    var count: Int { devices.count + (hasTarget ? 1 : 0) }

    /// Counts the place of a delivered copy.
    ///
    /// `media` tells what two paths have in common; without it their device numbers do. `mark`: by which stations know
    /// the folder that they share.
    mutating func add(_ delivery: DeliveryRow, mark: String? = nil, _ media: Media?) {
        add(path: delivery.receipt.path, mark: mark, media)
    }

    /// `path` is nil for a copy at a target elsewhere.
    mutating func add(path: String?, mark: String? = nil, _ media: Media?) {
        guard let path else { return hasTarget = true }
        if let mark, !marks.insert(mark).inserted { return }
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
