import FilmgateCore

/// Rows to write: plausible unless a test makes them odd.
enum Samples {
    static let archive = "folder:/srv/photos"
    static let gallery = "http:https://gallery.example/api#wedding"

    /// 64 hexadecimal digits, another for each number.
    static func sha(_ number: Int) -> String { String(repeating: "0", count: 56) + padded(number, 8) }

    static func origin(_ number: Int, volume: String = "uuid:1234", folder: String = "DCIM/100") -> Origin {
        Origin(
            source: "card", volume: volume, root: "/media/ann/CARD", path: "\(folder)/IMG_\(padded(number, 4)).JPG",
            size: 1000 + UInt64(number),
            modified: 1_760_000_000_000_000_000 + Int64(number))
    }

    static func asset(
        _ number: Int, run: Int64 = 1, ending: Ending? = .delivered, volume: String = "uuid:1234"
    ) -> AssetRow {
        let origin = origin(number, volume: volume), stem = FileName(origin.name).stem
        let shot = ShotPlace(key: origin.folder + "/" + stem.lowercased(), stem: stem)
        var row = AssetRow(
            origin: origin, run: run, kind: .jpeg, shot: shot, at: 1_760_000_000_000_000_000 + Int64(number))
        row.content = ContentKey(sha256: sha(number))
        row.digests = Digests(sha256: sha(number))
        row.wanted = [archive, gallery]
        row.ending = ending
        return row
    }

    static func delivery(
        _ number: Int, to target: String = archive, state: Receipt.State = .done, path: String? = nil, at: Int64 = 5,
        reason: String? = nil
    ) -> DeliveryRow {
        let path = path ?? "2026/IMG_\(padded(number, 4)).JPG", name = target == archive ? "archive" : "gallery"
        let receipt = Receipt(
            state: state, path: "/srv/photos/" + path, sha256: sha(number), verified: .reread, at: at, reason: reason)
        return DeliveryRow(
            content: ContentKey(sha256: sha(number)), target: target, targetName: name, receipt: receipt,
            size: 1000 + UInt64(number), path: path)
    }

    /// A file with every field set.
    static func full() -> AssetRow {
        var row = asset(7)
        row.origin.path = "100/IMG_0007.JPG"
        (row.origin.root, row.origin.born, row.origin.inode, row.origin.changed) = (
            "/media/ann/CARD/DCIM", 11, .max, 13
        )
        row.origin.size = .max
        row.shot = ShotPlace(key: "clip", stem: "C0001", innerPath: "M4ROOT/CLIP/C0001.MP4", sidecarOf: "CR3")
        row.digests = Digests(sha256: sha(7), others: [.sha1: "aa", .md5: "bb", .xxh128: "cc"])
        row.media = media()
        row.flags = ["truncated", "exif-damaged"]
        row.wanted = [gallery, archive]
        (row.reason, row.twin, row.event, row.photographer) = ("reason", "/media/other/IMG.JPG", "wedding", "Ann")
        return row
    }

    static func media() -> MediaFacts {
        var media = MediaFacts()
        (media.make, media.model, media.serial, media.owner, media.artist) = (
            "Make", "Model", "0123", "Ann", "Ann & Co."
        )
        (media.lensModel, media.lensSerial) = ("24-70", "77")
        media.captured = CivilTime(
            year: 2026, month: 5, day: 1, hour: 23, minute: 59, second: 60, nanosecond: 250_000_000, offsetMinutes: -570
        )
        (media.exposureTime, media.fNumber, media.focalLength) = (Rational(1, 200), Rational(28, 10), Rational(-50, 0))
        (media.iso, media.orientation, media.width, media.height) = (400, 8, 8192, 5464)
        media.position = .init(latitude: 59.913868, longitude: -10.752245, altitude: -2.5)
        (media.rating, media.imageNumber, media.duration) = (-1, 12_345, 3.0625)
        return media
    }
}
