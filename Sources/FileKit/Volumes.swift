internal import CLinux
public import FilmgateCore
import Glibc

/// The file system that a path lies on, and what can be relied on there.
public struct Volume: Sendable, Hashable {
    /// The same each time this volume comes back, and on no other: see ``Volumes``.
    public var identity: String
    /// Its label, or the last part of its mount point.
    public var label: String
    public var mount: Mount
    /// A card, stick or portable disk mounted for a while; else part of this machine (or the network) and what lies
    /// there is a dump.
    public var isRemovable: Bool

    public init(identity: String, label: String, mount: Mount, isRemovable: Bool) {
        (self.identity, self.label, self.mount, self.isRemovable) = (identity, label, mount, isRemovable)
    }

    public var isFAT: Bool { Volumes.fat.contains(mount.type) }
    /// A file keeps its inode number from mount to mount.
    public var hasStableInodes: Bool {
        !isFAT && !Volumes.inventedInodes.contains(mount.type) && !mount.type.hasPrefix("fuse.")
    }
}

/// Tells volumes apart and knows them again.
///
/// Identity, first that applies: `UUID` from `/dev/disk/by-uuid`, for FAT followed by the capacity, since a FAT serial
/// has 32 bits only and some cameras always write the same; `TYPE:SOURCE` for network shares;
/// `dev:MAJOR:MINOR/TYPE/FSID` for the rest, for FAT with the capacity and the minutes and seconds at which its first
/// folder was made (whole quarters of an hour shift with the time zone), because FSID is the reader's slot there and
/// not the card.
public struct Volumes: Sendable {
    static let fat: Set<String> = ["vfat", "msdos", "exfat"]
    static let inventedInodes: Set<String> = ["fuse", "fuseblk", "ntfs", "9p", "virtiofs"]
    static let network: Set<String> = ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "afs", "ceph"]
    static let optical: Set<String> = ["iso9660", "squashfs", "erofs"]
    static let system = ["/boot", "/efi", "/usr", "/var", "/home", "/etc", "/opt", "/nix", "/snap", "/root"]

    public let table: MountTable
    private let disks: String, blocks: String

    /// `disks` and `blocks` are where udev and the kernel describe disks.
    public init(_ table: MountTable, disks: String = "/dev/disk", blocks: String = "/sys/dev/block") {
        (self.table, self.disks, self.blocks) = (table, disks, blocks)
    }

    /// With the table of this process.
    ///
    /// Reads a small kernel file.
    public static func current() throws(IngestError) -> Volumes { Volumes(try MountTable.current()) }

    /// The volume that holds `path` (absolute, without links).
    ///
    /// Reads a few small kernel files; asks the file system for its size.
    public func volume(of path: String) throws(IngestError) -> Volume {
        guard let mount = table.mount(of: path) else {
            throw IngestError(.notFound, "No file system is mounted at \(shown(path)).")
        }
        let removable = isRemovable(mount)
        let label = diskName(mount).flatMap { name(in: "by-label", of: $0) } ?? Paths.name(mount.point)
        return Volume(identity: identity(mount), label: label, mount: mount, isRemovable: removable)
    }

    /// Mounted cards, sticks and portable disks, each once, in order of their mount points.
    public var removable: [Mount] {
        var seen: Set<String> = []
        return table.mounts.filter { isRemovable($0) && table.mount(of: $0.point) == $0 }
            .sorted { NaturalOrder.precedes($0.point, $1.point) }
            .filter { seen.insert("\($0.device) \($0.root)").inserted }
    }

    /// On a disk of its own, and mounted where people's media go, on a disk that the kernel calls removable, or with a
    /// card's file system.
    public func isRemovable(_ mount: Mount) -> Bool {
        guard mount.source.hasPrefix("/dev/"), !mount.source.hasPrefix("/dev/sr"), !Self.optical.contains(mount.type),
            mount.point != "/"
        else {
            return false
        }
        if Self.isMediaPlace(mount.point) { return true }
        if Self.system.contains(where: { Paths.relative(mount.point, to: $0) != nil }) { return false }
        return Self.fat.contains(mount.type) || isRemovableDisk(mount)
    }

    /// Where desktops and people mount what comes and goes.
    static func isMediaPlace(_ point: String) -> Bool {
        ["/media", "/run/media"].contains { Paths.relative(point, to: $0).map { !$0.isEmpty } ?? false }
    }

    /// The kernel's flag stands at the disk; a partition's folder lies inside it.
    private func isRemovableDisk(_ mount: Mount) -> Bool {
        for place in ["removable", "../removable"] {
            if let flag = try? SmallFile.read("\(blocks)/\(mount.device)/\(place)", limit: 8) {
                return flag.first == 0x31
            }
        }
        return false
    }
}

extension Volumes {
    /// The place of `path` (absolute, without links) on its volume: another text once the volume is no longer mounted
    /// there, also where a folder of one and the same volume was (a bind mount, a subvolume).
    ///
    /// The text of what the kernel gives a new number at each mounting (memory disks, some of FUSE) may be another
    /// though it is the same place.
    public func place(of path: String) -> String? {
        guard let mount = table.mount(of: path), let below = mount.pathOnVolume(path) else { return nil }
        return "\(identity(mount)):\(below)"
    }

    func identity(_ mount: Mount) -> String {
        let size = capacity(mount)
        if let disk = diskName(mount), let uuid = name(in: "by-uuid", of: disk),
            uuid.contains(where: { $0 != "0" && $0 != "-" })
        {
            return Self.fat.contains(mount.type) ? "\(uuid)-\(size.blocks)" : uuid
        }
        if Self.network.contains(mount.type) || mount.type.hasPrefix("fuse.") { return "\(mount.type):\(mount.source)" }
        let plain = "dev:\(mount.device)/\(mount.type)/\(String(size.id, radix: 16))"
        return Self.fat.contains(mount.type) ? "\(plain)/\(size.blocks)/\(firstBirth(mount))" : plain
    }

    /// The kernel's name for the disk or partition (`sdb1`); nil for what is no disk.
    private func diskName(_ mount: Mount) -> String? {
        if let link = SmallFile.link("\(blocks)/\(mount.device)") { return Paths.name(link) }
        guard mount.source.hasPrefix("/dev/") else { return nil }
        return Paths.name(FileSystem.canonical(mount.source))
    }

    /// The name of the link below `/dev/disk/KIND` that points to `disk`, with udev's `\x20` resolved.
    private func name(in kind: String, of disk: String) -> String? {
        let folder = "\(disks)/\(kind)"
        let found = SmallFile.names(in: folder).first { SmallFile.link("\(folder)/\($0)").map(Paths.name) == disk }
        return found.map(Self.unescaped)
    }

    private func capacity(_ mount: Mount) -> (blocks: UInt64, id: UInt64) {
        var facts = statvfs()
        guard withCPath(mount.point, { statvfs($0, &facts) }) == 0 else { return (0, 0) }
        return (UInt64(facts.f_blocks) * UInt64(facts.f_frsize), UInt64(facts.f_fsid))
    }

    private func firstBirth(_ mount: Mount) -> Int64 {
        for name in SmallFile.names(in: mount.point) {
            var facts = fg_stat()
            let code = withCPath(Paths.join(mount.point, name)) { fg_stat_at(AT_FDCWD, $0, &facts) }
            if code == 0, facts.mode & S_IFMT == S_IFDIR { return facts.born_ns % 900_000_000_000 }
        }
        return 0
    }

    /// udev writes what a link name cannot hold as `\x20`.
    static func unescaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(PathText.bytes(of: name))[...]
        while let byte = rest.popFirst() {
            if byte == 0x5C, rest.first == 0x78, rest.count >= 3,
                let code = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(pathBytes: bytes)
    }
}
