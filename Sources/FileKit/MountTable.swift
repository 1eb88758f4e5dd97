public import FilmgateCore
import Glibc

/// One line of `/proc/self/mountinfo`.
public struct Mount: Sendable, Hashable {
    public var id: Int
    /// `major:minor` of the device; anonymous (`0:…`) for btrfs, network and memory file systems.
    public var device: String
    /// The folder of the file system that is mounted here, `/` but for bind mounts and subvolumes.
    public var root: String
    /// Where it is mounted.
    public var point: String
    /// The kind of file system: `vfat`, `ext4`, `fuseblk`, `fuse.sshfs`.
    public var type: String
    /// The device node, the server's share, or a word of the file system's own.
    public var source: String
    public var isReadOnly: Bool
    /// Of an overlay, what the kernel says of its folders: `rw,lowerdir=/a,upperdir=/b`; else empty.
    public var options: String

    public init(
        id: Int, device: String, root: String, point: String, type: String, source: String, isReadOnly: Bool = false,
        options: String = ""
    ) {
        (self.id, self.device, self.root, self.point) = (id, device, root, point)
        (self.type, self.source, self.isReadOnly, self.options) = (type, source, isReadOnly, options)
    }

    /// `path` as seen from the top of the file system, without a leading `/`; nil when it does not lie below this
    /// mount.
    public func pathOnVolume(_ path: String) -> String? {
        guard let below = Paths.relative(path, to: point) else { return nil }
        let top = root.drop { $0 == "/" }
        return top.isEmpty ? below : below.isEmpty ? String(top) : "\(top)/\(below)"
    }
}

/// What is mounted where, in the order of mounting: later entries hide earlier ones at the same place.
public struct MountTable: Sendable, Hashable {
    public var mounts: [Mount]

    public init(_ mounts: [Mount]) { self.mounts = mounts }

    /// The table of this process.
    ///
    /// Reads a small kernel file. Inside a changed root (chroot), where the kernel names no mount for `/`, the device
    /// that `/` lies on stands for it.
    public static func current(_ file: String = "/proc/self/mountinfo") throws(IngestError) -> MountTable {
        var table = MountTable(parsing: try SmallFile.read(file))
        if !table.isMountPoint("/"), let device = try FileFacts.of("/")?.device {
            let number = "\(device >> 8 & 0xFFF | device >> 32 & ~0xFFF):\(device & 0xFF | device >> 12 & 0xFFFF_FF00)"
            table.mounts.insert(
                Mount(id: 0, device: number, root: "/", point: "/", type: "none", source: "none"), at: 0)
        }
        return table
    }

    /// Lines that do not follow proc(5) are left out.
    public init(parsing bytes: [UInt8]) { mounts = bytes.split(separator: 0x0A).compactMap(Self.mount) }

    /// The mount that holds `path` (absolute, without links): the deepest, and of those at one place the last.
    public func mount(of path: String) -> Mount? {
        var best: Mount?
        for mount in mounts where Paths.relative(path, to: mount.point) != nil {
            if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
        }
        return best
    }

    public func isMountPoint(_ path: String) -> Bool { mounts.contains { Paths.relative(path, to: $0.point) == "" } }

    /// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`: any number of fields before
    /// the lone dash.
    private static func mount(_ line: ArraySlice<UInt8>) -> Mount? {
        let fields = line.split(separator: 0x20).map { unescaped(Array($0)) }
        guard fields.count >= 9, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 2 < fields.count,
            let id = Int(fields[0])
        else {
            return nil
        }
        let isReadOnly = fields[5].split(separator: ",").contains("ro")
        return Mount(
            id: id, device: fields[2], root: fields[3], point: fields[4], type: fields[dash + 1],
            source: fields[dash + 2], isReadOnly: isReadOnly,
            options: fields[dash + 1] == "overlay" && dash + 3 < fields.count ? fields[dash + 3] : "")
    }

    /// Resolves the kernel's octal escapes: `\040` is a space.
    static func unescaped(_ field: [UInt8]) -> String {
        var bytes: [UInt8] = []
        var index = 0
        while index < field.count {
            let digits = field[index...].dropFirst().prefix(3)
            if field[index] == 0x5C, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
                bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
                index += 4
            } else {
                bytes.append(field[index])
                index += 1
            }
        }
        return String(pathBytes: bytes)
    }
}
