public import FilmgateCore
import Glibc

/// Which storage the bytes of a path really lie on: two paths may show different devices and share one.
///
/// Subvolumes of btrfs have device numbers of their own; a loop device keeps its bytes in a file, an overlay in the folders below it.
public struct Media: Sendable {
    private let table: MountTable
    /// Where the kernel describes block devices.
    private let blocks: String

    public init(_ table: MountTable, blocks: String = "/sys/class/block") { (self.table, self.blocks) = (table, blocks) }

    /// With the table of this process.
    ///
    /// Reads a small kernel file.
    public static func current() throws(IngestError) -> Media { Media(try MountTable.current()) }

    /// Whether two files lie, wholly or in part, on the same storage; reads a few small kernel files.
    public func areShared(by one: String, _ other: String) -> Bool {
        !under(FileSystem.canonical(one)).isDisjoint(with: under(FileSystem.canonical(other)))
    }

    /// Names of the file systems that hold the bytes of `path` (absolute, without links), the one that it is seen in first.
    ///
    /// A path that nothing is mounted for lies nowhere.
    func under(_ path: String, depth: Int = 0) -> Set<String> {
        guard depth < 8, let mount = table.mount(of: path) else { return [] }
        var found: Set<String> = [mount.device]
        if mount.source.hasPrefix("/dev/") {
            found.insert(FileSystem.canonical(mount.source))
            for file in backing(mount.source) { found.formUnion(under(FileSystem.canonical(file), depth: depth + 1)) }
        }
        if mount.type == "overlay" {
            for folder in Self.layers(mount.options) { found.formUnion(under(FileSystem.canonical(folder), depth: depth + 1)) }
        }
        return found
    }

    /// The file that a loop device stands for.
    private func backing(_ device: String) -> [String] {
        let name = Paths.name(FileSystem.canonical(device))
        guard let bytes = try? SmallFile.read("\(blocks)/\(name)/loop/backing_file") else { return [] }
        return [String(pathBytes: Array(bytes.split(separator: 0x0A).first ?? []))]
    }

    /// Folders of an overlay; only what is written goes to the upper one, but what was there before may lie in any.
    private static func layers(_ options: String) -> [String] {
        options.split(separator: ",").flatMap { option -> [String] in
            for key in ["upperdir=", "lowerdir="] where option.hasPrefix(key) {
                return option.dropFirst(key.count).split(separator: ":").map(String.init)
            }
            return []
        }
    }
}
