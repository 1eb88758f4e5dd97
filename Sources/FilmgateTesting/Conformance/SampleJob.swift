import FileKit
public import FilmgateCore
import Glibc

/// A file to be delivered, in the system's temporary folder; removed with the object.
public final class SampleJob: Sendable {
    public let file: String, size: UInt64, digests: Digests

    /// `count` bytes that no other job has.
    public convenience init(count: Int = 100_000) throws {
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next() as UInt64
        var bytes = (0..<min(count, 65_536)).map {
            UInt8(truncatingIfNeeded: (seed &+ UInt64($0) &* 0x9E37_79B9_7F4A_7C15) >> 29)
        }
        while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
        try self.init(bytes: bytes)
    }

    public init(bytes: [UInt8]) throws {
        file = Self.newPath()
        size = UInt64(bytes.count)
        let stream = fopen(file, "wb")
        let written = fwrite(bytes, 1, bytes.count, stream)
        fclose(stream)
        guard written == bytes.count else { throw CheckFailure("Cannot write \(file).") }
        digests = try FileCopy.hash(path: file, algorithms: [.sha1, .md5]).digests
    }

    /// A file of zeros that takes no room.
    public init(sparse bytes: UInt64) throws {
        file = Self.newPath()
        size = bytes
        let stream = fopen(file, "wb")
        fclose(stream)
        guard truncate(file, off_t(bytes)) == 0 else { throw CheckFailure("Cannot make \(file).") }
        digests = try FileCopy.hash(path: file).digests
    }

    deinit { unlink(file) }

    private static func newPath() -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return "\(base)/filmgate-job-\(String(UInt64.random(in: 0 ... .max), radix: 16)).jpg"
    }

    /// The job as the engine would hand it to a target, under `name` and, where given, a longer `path`.
    public func job(_ name: String = "IMG_0001.JPG", path: String? = nil, event: String? = nil) -> UploadJob {
        let origin = Origin(
            source: "card", volume: "volume", root: "/card", path: "DCIM/100/" + name, size: size,
            modified: 1_700_000_000_000_000_000)
        let cut = FileName(name)
        var asset = Asset(
            origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: cut.stem, stem: cut.stem))
        asset.digests = digests
        let local = LocalFile(path: file, size: size, ownership: .delivered)
        let values = TemplateValues(
            text: [
                "name": name, "stem": cut.stem, "ext": cut.ext, "event": event ?? "", "sha256": digests.sha256,
                "size": String(size),
            ],
            captured: CivilTime(year: 2026, month: 5, day: 1, hour: 12))
        return UploadJob(
            asset: asset, file: local, digests: digests, path: path ?? name, name: name, values: values, event: event)
    }
}
