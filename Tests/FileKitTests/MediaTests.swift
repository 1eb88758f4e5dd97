import FilmgateCore
import Glibc
import Testing

@testable import FileKit

@Suite struct MediaTests {
    private let blocks = ScratchFolder()

    /// Two subvolumes of one disk, a card, an image on the card, and an overlay that writes to the card.
    private func media() -> Media {
        blocks.file("loop0/loop/backing_file", "/nowhere/card/disk.img\n")
        let mounts = [
            ("0:40", "/nowhere/dump", "btrfs", "/dev/sda2", ""), ("0:41", "/nowhere/pics", "btrfs", "/dev/sda2", ""),
            ("8:33", "/nowhere/card", "exfat", "/dev/sdc1", ""), ("7:0", "/nowhere/image", "ext4", "/dev/loop0", ""),
            (
                "0:50", "/nowhere/over", "overlay", "overlay",
                "rw,lowerdir=/nowhere/x:/nowhere/y,upperdir=/nowhere/card/up"
            ),
            ("0:51", "/nowhere/memory", "tmpfs", "tmpfs", ""), ("0:52", "/nowhere/other", "tmpfs", "tmpfs", ""),
        ].enumerated().map {
            Mount(id: $0, device: $1.0, root: "/", point: $1.1, type: $1.2, source: $1.3, options: $1.4)
        }
        return Media(MountTable(mounts), blocks: blocks.path)
    }

    @Test(arguments: [
        ("dump/a.jpg", "pics/a.jpg", true), ("dump/a.jpg", "card/a.jpg", false), ("card/a.jpg", "image/a.jpg", true),
        ("over/a.jpg", "card/a.jpg", true), ("over/a.jpg", "dump/a.jpg", false), ("memory/a", "other/a", false),
        ("memory/a", "memory/b", true),
    ])
    func pathsShareWhatTheirBytesLieOn(one: String, other: String, expected: Bool) {
        let media = media()
        #expect(media.areShared(by: "/nowhere/" + one, "/nowhere/" + other) == expected)
        #expect(media.areShared(by: "/nowhere/" + other, "/nowhere/" + one) == expected)
    }

    /// A live system writes into an overlay over memory, and an image may lie there.
    @Test(arguments: [
        ("memory/a", true), ("live/home/a", true), ("image/a", true), ("swap/a", true), ("card/a", false),
        ("over/a", false), ("frame/a", false), ("nothing", false),
    ])
    func memoryIsSeenThroughWhatLiesOverIt(path: String, expected: Bool) {
        blocks.file("loop0/loop/backing_file", "/nowhere/memory/disk.img\n")
        let mounts = [
            ("0:51", "/nowhere/memory", "tmpfs", "tmpfs", ""), ("7:0", "/nowhere/image", "ext4", "/dev/loop0", ""),
            ("0:50", "/nowhere/live", "overlay", "overlay", "rw,lowerdir=/nowhere/card,upperdir=/nowhere/memory/up"),
            ("253:0", "/nowhere/swap", "ext4", "/dev/zram0", ""), ("8:33", "/nowhere/card", "exfat", "/dev/sdc1", ""),
            ("0:52", "/nowhere/over", "overlay", "overlay", "rw,lowerdir=/nowhere/x,upperdir=/nowhere/card/up"),
            ("8:49", "/nowhere/frame", "ext4", "/dev/ramdisk", ""),
        ].enumerated().map {
            Mount(id: $0, device: $1.0, root: "/", point: $1.1, type: $1.2, source: $1.3, options: $1.4)
        }
        #expect(Media(MountTable(mounts), blocks: blocks.path).isInMemory("/nowhere/" + path) == expected)
    }

    /// The folder that a live system writes to is hidden when it has started, as are the images below; a container's is
    /// hidden, too, and lies on a disk.
    @Test(arguments: [
        ("rw,lowerdir=/a.squashfs:/b.squashfs,upperdir=/cow/upper,workdir=/cow/work", true),
        ("rw,lowerdir=/l/A:/l/B,upperdir=/var/lib/containers/diff,workdir=/var/lib/containers/work", false),
        ("ro,lowerdir=/a.squashfs:/b.squashfs", false),
    ]) func aLiveSystemWritesIntoMemory(options: String, expected: Bool) {
        let root = Mount(
            id: 1, device: "0:20", root: "/", point: "/", type: "overlay", source: "/cow", options: options)
        #expect(Media(MountTable([root]), blocks: blocks.path).isInMemory("/home/me/a.jpg") == expected)
    }

    /// Each of them would be looked for in the overlay that hides it, again and again.
    @Test func hiddenLayersAreLookedForOnce() {
        let layers = (1...24).map { "/l/\($0)" }.joined(separator: ":")
        let root = Mount(
            id: 1, device: "0:20", root: "/", point: "/", type: "overlay", source: "overlay",
            options: "rw,lowerdir=\(layers),upperdir=/u")
        let media = Media(MountTable([root]), blocks: blocks.path)
        #expect(media.areShared(by: "/home/a", "/home/b") && !media.isInMemory("/home/a"))
    }

    /// Cards with two partitions, and disks that are encrypted: formatting takes all that lies on one disk.
    @Test(arguments: [
        ("card/a.jpg", "second/a.jpg", true), ("card/a.jpg", "sealed/a.jpg", true),
        ("card/a.jpg", "elsewhere/a.jpg", false), ("second/a.jpg", "sealed/a.jpg", true),
        ("elsewhere/a.jpg", "image/a.jpg", true), ("through/a.jpg", "card/a.jpg", true),
        ("through/a.jpg", "elsewhere/a.jpg", false),
    ])
    func partitionsOfOneDiskAreOneStorage(one: String, other: String, expected: Bool) {
        for (disk, parts) in [("sdc", ["sdc1", "sdc2", "sdc3"]), ("sdd", ["sdd1"]), ("loop3", ["loop3p1"])] {
            blocks.file("devices/\(disk)/size", "1")
            blocks.link(disk, to: "devices/\(disk)")
            for part in parts {
                blocks.file("devices/\(disk)/\(part)/partition", "1\n")
                blocks.link(part, to: "devices/\(disk)/\(part)")
            }
        }
        blocks.file("dm-0/slaves/sdc3", "")
        blocks.file("devices/loop3/loop/backing_file", "/nowhere/elsewhere/disk.img\n")
        let mounts = [
            ("8:33", "/nowhere/card", "exfat", "/dev/sdc1"), ("8:34", "/nowhere/second", "ext4", "/dev/sdc2"),
            ("252:0", "/nowhere/sealed", "ext4", "/dev/dm-0"), ("8:49", "/nowhere/elsewhere", "ext4", "/dev/sdd1"),
            ("259:0", "/nowhere/image", "ext4", "/dev/loop3p1"),
            ("0:60", "/nowhere/through", "fuse", "/nowhere/card/inner"),
        ].enumerated().map { Mount(id: $0, device: $1.0, root: "/", point: $1.1, type: $1.2, source: $1.3) }
        let media = Media(MountTable(mounts), blocks: blocks.path)
        #expect(media.areShared(by: "/nowhere/" + one, "/nowhere/" + other) == expected)
    }

    /// A pool tells of each file where it lies: on the card it is no copy of it.
    @Test func aPoolHoldsAFileWhereItSays() throws {
        let pool = ScratchFolder()
        for (name, real) in [
            ("own.jpg", "/nowhere/card/own.jpg"), ("far.jpg", "/nowhere/d/far.jpg\0/nowhere/e/far.jpg"),
        ] {
            pool.file(name)
            guard try setAttribute("user.mergerfs.allpaths", real, of: "\(pool.path)/\(name)") else { return }
        }
        let mounts = [
            ("8:33", "/nowhere/card", "exfat", "/dev/sdc1"), ("8:49", "/nowhere/d", "ext4", "/dev/sdd1"),
            ("8:65", "/nowhere/e", "ext4", "/dev/sde1"), ("0:61", pool.path, "fuse.mergerfs", "a:b"),
        ].enumerated().map { Mount(id: $0, device: $1.0, root: "/", point: $1.1, type: $1.2, source: $1.3) }
        let media = Media(MountTable(mounts), blocks: blocks.path)
        #expect(media.areShared(by: pool.path + "/own.jpg", "/nowhere/card/own.jpg"))
        #expect(!media.areShared(by: pool.path + "/far.jpg", "/nowhere/card/far.jpg"))
        #expect(media.areShared(by: pool.path + "/far.jpg", "/nowhere/e/other.jpg"))
    }

    /// False where the file system keeps no attributes of users; Swift's Glibc has no word for them.
    private func setAttribute(_ name: String, _ value: String, of path: String) throws -> Bool {
        typealias Set =
            @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
        let set = unsafeBitCast(try #require(dlsym(nil, "setxattr")), to: Set.self)
        let bytes = Array(value.utf8)
        let result = set(path, name, bytes, bytes.count, 0)
        try #require(result == 0 || errno == ENOTSUP)
        return result == 0
    }

    /// An image that lies on itself is no reason to go on for ever.
    @Test func aCircleEnds() {
        blocks.file("loop1/loop/backing_file", "/nowhere/image/disk.img\n")
        let mount = Mount(id: 1, device: "7:1", root: "/", point: "/nowhere/image", type: "ext4", source: "/dev/loop1")
        #expect(Media(MountTable([mount]), blocks: blocks.path).areShared(by: "/nowhere/image/a", "/nowhere/image/b"))
    }
}
