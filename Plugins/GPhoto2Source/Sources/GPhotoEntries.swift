import FilmgateCore
import GPhoto2Wire

/// Makes of libgphoto2's files what the engine takes.
struct GPhotoEntries: Sendable {
    var place: SourcePlace, volume: String
    var formats: [MediaKind]

    /// The same each time the camera comes back; without a serial number only the port tells two bodies apart.
    static func volume(_ body: GPhotoBody, at address: String) -> String {
        "gphoto2:\(body.model):\(hasSerial(body) ? body.serial : "at \(address)")"
    }

    /// Zeros are what a body writes that has none.
    static func hasSerial(_ body: GPhotoBody) -> Bool { body.serial.contains { $0 != "0" && $0 != " " } }

    func entry(_ file: GPhotoFile) -> SourceEntry {
        let folders = file.path.folder.split(separator: UInt8(ascii: "/")).map {
            SafeName.component(String(decoding: $0, as: UTF8.self))
        }
        let name = SafeName.component(String(decoding: file.path.name, as: UTF8.self))
        let kind = MediaKind(fileName: name), path = (folders + [name]).joined(separator: "/")
        let (time, overflow) = file.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let origin = Origin(
            source: place.source, volume: volume, root: place.address, path: path, size: file.size,
            modified: overflow ? 0 : time)
        var entry = SourceEntry(origin: origin, kind: kind, shot: shot(folders, name, kind))
        if !formats.isEmpty, !formats.contains(kind) {
            entry.fate = .filtered("Not among the formats \(formats.map(\.rawValue).joined(separator: ", ")).")
        } else if file.size == 0 {
            entry.fate = .unreadable("The camera says that it is empty.")
        }
        return entry
    }

    private func shot(_ folders: [String], _ name: String, _ kind: MediaKind) -> ShotPlace {
        var file = FileName(name), sidecarOf: String?
        if kind == .sidecar, ![MediaKind.other, .sidecar].contains(MediaKind(fileName: file.stem)) {
            let inner = FileName(file.stem)
            (file, sidecarOf) = (inner, inner.ext)
        }
        let key = SafeName.folded("\(volume)/\(folders.joined(separator: "/"))/\(file.stem)")
        return ShotPlace(key: key, stem: file.stem, sidecarOf: sidecarOf)
    }

    /// In the camera's order; the files of one shot follow each other, its primary first.
    ///
    /// Two files whose names become the same are told apart by a number.
    func arrange(_ files: [GPhotoFile]) -> [(file: GPhotoFile, entry: SourceEntry)] {
        var shots: [[(file: GPhotoFile, entry: SourceEntry)]] = [], places: [String: Int] = [:], used: Set<String> = []
        for file in files {
            var entry = entry(file), number = 1
            let plain = entry.origin.volumePath
            while !used.insert(entry.origin.volumePath).inserted {
                number += 1
                entry.origin.volumePath = "\(plain)#\(number)"
            }
            if let place = places[entry.shot.key] {
                shots[place].append((file, entry))
            } else {
                places[entry.shot.key] = shots.count
                shots.append([(file, entry)])
            }
        }
        return shots.flatMap { shot in
            shot.enumerated().sorted {
                ($0.element.entry.kind.rank, $0.offset) < ($1.element.entry.kind.rank, $1.offset)
            }.map(\.element)
        }
    }
}
