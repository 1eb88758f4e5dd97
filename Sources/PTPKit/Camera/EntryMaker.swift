import FilmgateCore

/// Makes of a camera's objects what the engine takes.
struct EntryMaker: Sendable {
    var place: SourcePlace, volume: String
    var options: CameraOptions

    func entry(_ object: CameraObject) -> SourceEntry {
        let named = MediaKind(fileName: object.name), kind = named == .other ? object.format.kind ?? named : named
        var entry = SourceEntry(origin: origin(object), kind: kind, shot: shot(object, kind))
        entry.isProtected = object.isProtected
        if options.slot != 0, Int(object.storage.slot) != options.slot {
            entry.fate = .filtered("Not in slot \(options.slot).")
        } else if let reason = object.undescribed {
            entry.fate = .unreadable(reason)
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
            source: place.source, volume: volume, root: place.address, path: slotFolder(object.storage) + object.path,
            size: object.size, modified: modified(object), inode: object.medium.number, volumePath: volumePath(object))
    }

    func volumePath(_ object: CameraObject) -> String { "\(object.storage)/\(object.path)" }

    func facts(_ object: CameraObject, visit: UInt32) -> ReportedFiles.Facts {
        ReportedFiles.Facts(
            size: object.size, modified: modified(object), medium: object.medium, handle: object.handle, visit: visit)
    }

    /// Nanoseconds since 1970, as if the camera's clock showed UTC; 0 where it says nothing.
    func modified(_ object: CameraObject) -> Int64 { object.modified ?? 0 }

    /// Files of the first slot stand at the top; those of others below a folder of their own.
    private func slotFolder(_ storage: StorageID) -> String { storage.slot <= 1 ? "" : "slot\(storage.slot)/" }

    private func shot(_ object: CameraObject, _ kind: MediaKind) -> ShotPlace {
        var name = FileName(object.name), sidecarOf: String?
        if kind == .sidecar, ![MediaKind.other, .sidecar].contains(MediaKind(fileName: name.stem)) {
            let inner = FileName(name.stem)
            (name, sidecarOf) = (inner, inner.ext)
        }
        var key = volume
        key += "/"
        key += slotFolder(object.storage)
        for folder in object.folders {
            key += "/"
            key += folder
        }
        key += "/"
        key += name.stem
        return ShotPlace(key: SafeName.folded(key), stem: name.stem, sidecarOf: sidecarOf)
    }

    /// Shots in the order asked for; the files of one follow each other, its primary first.
    func arrange(_ objects: [CameraObject]) -> [SourceEntry] {
        let entries = objects.map(entry), places = places(entries)
        return places.elementsEqual(entries.indices) ? entries : places.map { entries[$0] }
    }

    /// The positions in `entries`, in that order.
    private func places(_ entries: [SourceEntry]) -> [Int] {
        var firsts: [String: Int] = [:], shot: [Int] = [], time: [Int64] = []
        for (index, entry) in entries.enumerated() {
            let first = firsts[entry.shot.key] ?? index
            if first == index { firsts[entry.shot.key] = index }
            shot.append(first)
            // Of a shot's first file: the earliest time of all its files.
            time.append(entry.origin.modified)
            time[first] = min(time[first], entry.origin.modified)
        }
        let sign: Int64 = options.order == .newest ? -1 : 1
        let isTimed = options.order == .newest || options.order == .oldest
        func rank(_ index: Int) -> (Int64, Int, Int, Int) {
            (isTimed ? sign &* time[shot[index]] : 0, shot[index], entries[index].kind.rank, index)
        }
        let all = entries.indices.sorted { rank($0) < rank($1) }
        guard options.order == .jpegFirst else { return all }
        return all.filter { entries[$0].kind == .jpeg } + all.filter { entries[$0].kind != .jpeg }
    }
}

extension CameraObject {
    /// Nanoseconds since 1970, as if the camera's clock showed UTC; nil where it says nothing.
    var modified: Int64? { time.map(\.sinceEpoch) }
}

extension CivilTime {
    /// Nanoseconds since 1970, as if the clock showed UTC.
    var sinceEpoch: Int64 { civilSeconds * 1_000_000_000 + Int64(nanosecond ?? 0) }
}
