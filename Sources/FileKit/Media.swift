public import FilmgateCore
import Glibc

/// Which storage the bytes of a path really lie on: two paths may show different devices and share one.
///
/// Subvolumes of btrfs have device numbers of their own; partitions are parts of one disk, and so is what is encrypted
/// on them or put together from them; a loop device keeps its bytes in a file, an overlay, a pool of mergerfs and some
/// other file systems through FUSE in the folders below them.
public struct Media: Sendable {
    private let table: MountTable
    /// Where the kernel describes block devices.
    private let blocks: String

    public init(_ table: MountTable, blocks: String = "/sys/class/block") {
        (self.table, self.blocks) = (table, blocks)
    }

    /// With the table of this process.
    ///
    /// Reads a small kernel file.
    public static func current() throws(IngestError) -> Media { Media(try MountTable.current()) }

    /// Whether two files lie, wholly or in part, on the same storage; reads a few small kernel files.
    public func areShared(by one: String, _ other: String) -> Bool {
        !under(FileSystem.canonical(one)).isDisjoint(with: under(FileSystem.canonical(other)))
    }

    /// Whether what is written to `path` lies, wholly or in part, in memory that is lost when the machine stops: also
    /// through an overlay whose upper folder does, or a loop device whose file does; reads a few small kernel files.
    ///
    /// What the kernel says of the path itself counts beside what the mounts say: one may be hidden by another.
    public func isInMemory(_ path: String) -> Bool {
        FileSystem.isInMemory(path) || storage(of: FileSystem.canonical(path)).contains { $0.isInMemory }
    }

    /// Names of the file systems that hold the bytes of `path` (absolute, without links), the one that it is seen in
    /// first.
    ///
    /// A path that nothing is mounted for lies nowhere.
    private func under(_ path: String) -> Set<String> { Set(storage(of: path).map(\.name)) }

    private struct Storage: Hashable { var name: String, isInMemory = false }

    /// `above`: the mounts that led here; a layer that another root hides is found in one of them again.
    private func storage(of path: String, below above: Set<Int> = []) -> Set<Storage> {
        guard let mount = table.mount(of: path), !above.contains(mount.id) else { return [] }
        let all = above.union([mount.id])
        var found: Set<Storage> = [
            Storage(name: mount.device, isInMemory: ["tmpfs", "ramfs", "devtmpfs", "rootfs"].contains(mount.type))
        ]
        func add(_ below: String) { found.formUnion(storage(of: FileSystem.canonical(below), below: all)) }
        if mount.source.hasPrefix("/dev/") {
            let source = FileSystem.canonical(mount.source)
            found.insert(Storage(name: source))
            for disk in disks(Paths.name(source)) {
                found.insert(Storage(name: "/dev/" + disk, isInMemory: Self.isOfMemory(disk)))
                if let file = backing(disk) { add(file) }
            }
        } else if mount.type.hasPrefix("fuse"), mount.source.hasPrefix("/") {
            for folder in mount.source.split(separator: ":") { add(String(folder)) }
        } else if mount.type == "fuse.mergerfs" {
            // Its source names the folders without their beginnings; it tells of every path where that lies.
            for real in SmallFile.attribute("user.mergerfs.allpaths", of: path) { add(real) }
        }
        if mount.type == "overlay" {
            if isLive(mount) { found.insert(Storage(name: mount.device, isInMemory: true)) }
            for folder in Self.layers(mount.options) { add(folder) }
        }
        return found
    }

    /// Block devices that the kernel keeps in memory: zram, brd.
    private static func isOfMemory(_ disk: String) -> Bool {
        ["zram", "ram"].contains { disk.hasPrefix($0) && disk.dropFirst($0.count).allSatisfy(\.isNumber) }
    }

    /// The whole disks that the block device `name` lies on: a card is formatted with all of its partitions.
    private func disks(_ name: String, depth: Int = 0) -> Set<String> {
        guard depth < 8 else { return [] }
        let below = SmallFile.names(in: "\(blocks)/\(name)/slaves")
        if !below.isEmpty { return below.reduce(into: []) { $0.formUnion(disks($1, depth: depth + 1)) } }
        guard (try? SmallFile.read("\(blocks)/\(name)/partition")) != nil,
            let link = SmallFile.link("\(blocks)/\(name)")
        else {
            return [name]
        }
        // The kernel keeps a partition's folder inside that of its disk.
        return disks(Paths.name(Paths.folder(link)), depth: depth + 1)
    }

    /// The file that a loop device stands for.
    private func backing(_ disk: String) -> String? {
        guard let bytes = try? SmallFile.read("\(blocks)/\(disk)/loop/backing_file") else { return nil }
        return String(pathBytes: Array(bytes.split(separator: 0x0A).first ?? []))
    }

    /// The root of a live system, which writes over images of squashfs into a folder that its start hid, in memory mostly.
    private func isLive(_ overlay: Mount) -> Bool {
        let layers = Self.layers(overlay.options)
        let isHidden = Self.layers(overlay.options, ["upperdir="]).contains { upper in
            table.mount(of: FileSystem.canonical(upper)).map { $0.id == overlay.id } ?? true
        }
        return isHidden && layers.contains { $0.hasSuffix(".squashfs") }
    }

    /// Folders of an overlay; only what is written goes to the upper one, but what was there before may lie in any.
    private static func layers(_ options: String, _ keys: [String] = ["upperdir=", "lowerdir="]) -> [String] {
        options.split(separator: ",").flatMap { option -> [String] in
            for key in keys where option.hasPrefix(key) {
                return option.dropFirst(key.count).split(separator: ":").map(String.init)
            }
            return []
        }
    }
}
