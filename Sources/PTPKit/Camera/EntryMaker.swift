import FilmgateCore

/// Makes of a camera's objects what the engine takes.
struct EntryMaker: Sendable {
    var place: SourcePlace, volume: String
    var options: CameraOptions

    func entry(_ object: CameraObject) -> SourceEntry {
        let kind = MediaKind(fileName: object.name)
        var entry = SourceEntry(origin: origin(object), kind: kind, shot: shot(object, kind))
        if options.slot != 0, Int(object.storage.slot) != options.slot {
            entry.fate = .filtered("Not in slot \(options.slot).")
        } else if !options.formats.isEmpty, !options.formats.contains(kind) {
            entry.fate = .filtered("Not among the formats \(options.formats.map(\.rawValue).joined(separator: ", ")).")
        } else if object.isUnfinished {
            entry.fate = .unreadable("The camera was still writing it.")
        } else if object.size == 0 {
            entry.fate = .unreadable("The camera says that it is empty.")
        } else if object.size == ObjectInfo.unknownSize {
            // Whatever was read up to this size would pass for the whole.
            entry.fate = .unreadable("It is larger than 4 GiB, and the camera does not say by how much.")
        }
        return entry
    }

    func origin(_ object: CameraObject) -> Origin {
        Origin(
            source: place.source, volume: volume, root: place.address, path: slotFolder(object.storage) + object.path, size: object.size,
            modified: modified(object), volumePath: volumePath(object))
    }

    func volumePath(_ object: CameraObject) -> String { "\(object.storage)/\(object.path)" }

    /// Nanoseconds since 1970, as if the camera's clock showed UTC; 0 where it says nothing.
    func modified(_ object: CameraObject) -> Int64 {
        object.time.map { $0.civilSeconds * 1_000_000_000 + Int64($0.nanosecond ?? 0) } ?? 0
    }

    /// Files of the first slot stand at the top; those of others below a folder of their own.
    private func slotFolder(_ storage: StorageID) -> String { storage.slot <= 1 ? "" : "slot\(storage.slot)/" }

    private func shot(_ object: CameraObject, _ kind: MediaKind) -> ShotPlace {
        var name = FileName(object.name), sidecarOf: String?
        if kind == .sidecar, ![MediaKind.other, .sidecar].contains(MediaKind(fileName: name.stem)) {
            let inner = FileName(name.stem)
            (name, sidecarOf) = (inner, inner.ext)
        }
        let folder = ([slotFolder(object.storage)] + object.folders).joined(separator: "/")
        return ShotPlace(key: SafeName.folded("\(volume)/\(folder)/\(name.stem)"), stem: name.stem, sidecarOf: sidecarOf)
    }

    /// Shots in the order asked for; the files of one follow each other, its primary first.
    func arrange(_ objects: [CameraObject]) -> [(object: CameraObject, entry: SourceEntry)] {
        var shots: [[(object: CameraObject, entry: SourceEntry)]] = [], places: [String: Int] = [:]
        for object in objects {
            let entry = entry(object)
            if let place = places[entry.shot.key] {
                shots[place].append((object, entry))
            } else {
                places[entry.shot.key] = shots.count
                shots.append([(object, entry)])
            }
        }
        let inner = shots.map { shot in
            shot.enumerated().sorted { ($0.element.entry.kind.rank, $0.offset) < ($1.element.entry.kind.rank, $1.offset) }.map(\.element)
        }
        let all = ordered(inner).flatMap { $0 }
        guard options.order == .jpegFirst else { return all }
        return all.filter { $0.entry.kind == .jpeg } + all.filter { $0.entry.kind != .jpeg }
    }

    private func ordered(_ shots: [[(object: CameraObject, entry: SourceEntry)]]) -> [[(object: CameraObject, entry: SourceEntry)]] {
        func time(_ shot: [(object: CameraObject, entry: SourceEntry)]) -> Int64 { shot.map(\.entry.origin.modified).min() ?? 0 }
        switch options.order {
        case .camera, .jpegFirst: return shots
        case .oldest: return shots.enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }.map(\.element)
        case .newest: return shots.enumerated().sorted { (time($1.element), $0.offset) < (time($0.element), $1.offset) }.map(\.element)
        }
    }
}
