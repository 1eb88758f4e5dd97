import FileKit
import FilmgateCore

/// On how many places a file's good copies lie: devices that share no storage, and beside them one place for all
/// targets elsewhere.
struct CopyPlaces {
    private struct Device { var path: String, folder: String }
    private var devices: [Device] = [], hasTarget = false
    /// Shared folders that were counted: the same one mounted twice is one place.
    private var marks: Set<String> = []

    var count: Int { devices.count + (hasTarget ? 1 : 0) }

    /// Counts the place of a delivered copy.
    ///
    /// `media` tells what two paths have in common; without it their device numbers do. `mark`: by which stations know
    /// the folder that they share.
    mutating func add(_ delivery: DeliveryRow, mark: String? = nil, _ media: Media?) {
        add(path: delivery.receipt.path, in: delivery.folderRoot, mark: mark, media)
    }

    /// `path` is nil for a copy at a target elsewhere; `folder` is what people call the place, nil where that is `path`.
    mutating func add(path: String?, in folder: String? = nil, mark: String? = nil, _ media: Media?) {
        guard let path else { return hasTarget = true }
        if let mark, !marks.insert(mark).inserted { return }
        if !devices.contains(where: { media?.areShared(by: $0.path, path) ?? FileSystem.same($0.path, path) }) {
            devices.append(Device(path: path, folder: folder ?? path))
        }
    }

    func tooFew(of wanted: Int) -> String {
        "\(wanted) copies are asked for, on different devices or on a device and at a target: it is \(description)"
    }
}

extension CopyPlaces: CustomStringConvertible {
    /// With the folders: only one on another device than these adds a place.
    var description: String {
        let folders = devices.map(\.folder).joined(separator: ", ")
        let places =
            devices.isEmpty
            ? "at no device of yours" : "on \(devices.count) device\(devices.count == 1 ? "" : "s") (\(folders))"
        return places + (hasTarget ? " and at a target" : "")
    }
}
