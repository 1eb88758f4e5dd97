import FileKit
import FilmgateCore
import Testing

@Suite struct VolumesTests {
    private let scratch = ScratchFolder()

    /// `/dev/disk` and `/sys/dev/block` as udev and the kernel would fill them.
    private func volumes(_ mounts: [Mount]) -> Volumes {
        Volumes(MountTable(mounts), disks: "\(scratch.path)/disk", blocks: "\(scratch.path)/block")
    }

    private func card(_ type: String = "vfat", device: String = "8:17") -> Mount {
        Mount(id: 1, device: device, root: "/", point: "/tmp", type: type, source: "/dev/sdb1")
    }

    private func plug(_ kind: String, _ name: String, _ disk: String) {
        scratch.folder("disk/\(kind)")
        scratch.link("disk/\(kind)/\(name)", to: "../../\(disk)")
    }

    @Test func aCardIsKnownByItsSerialAndCapacityWhereverItIsPlugged() throws {
        plug("by-uuid", "1234-ABCD", "sdb1")
        plug("by-label", #"EOS\x20DIGITAL"#, "sdb1")
        plug("by-uuid", "9999-0000", "sdc1")
        let volume = try volumes([card()]).volume(of: "/tmp/x")
        #expect(volume.identity.hasPrefix("1234-ABCD-") && volume.identity.count > 15)
        #expect(volume.label == "EOS DIGITAL")
        #expect(volume.isRemovable && volume.isFAT && !volume.hasStableInodes)
    }

    @Test func theKernelsNameForTheDiskWins() throws {
        scratch.folder("block")
        scratch.link("block/8:17", to: "../devices/usb/block/sdx/sdx1")
        plug("by-uuid", "0a-uuid", "sdx1")
        #expect(try volumes([card("ext4")]).volume(of: "/tmp").identity == "0a-uuid")
    }

    @Test func aSerialOfZerosIsNoIdentity() throws {
        plug("by-uuid", "0000-0000", "sdb1")
        let identity = try volumes([card()]).volume(of: "/tmp").identity
        #expect(identity.hasPrefix("dev:8:17/vfat/") && identity.split(separator: "/").count == 5)
    }

    @Test func theRestIsToldApartByDeviceTypeAndFileSystem() throws {
        let disk = Mount(id: 1, device: "254:0", root: "/", point: "/", type: "ext4", source: "/dev/vda")
        let share = Mount(id: 2, device: "0:50", root: "/", point: "/tmp", type: "cifs", source: "//nas/photos")
        #expect(try volumes([disk]).volume(of: "/tmp").identity.hasPrefix("dev:254:0/ext4/"))
        #expect(try volumes([disk, share]).volume(of: "/tmp/x").identity == "cifs://nas/photos")
        #expect(try volumes([disk]).volume(of: "/tmp").isRemovable == false)
        #expect(try volumes([disk]).volume(of: "/tmp").hasStableInodes)
    }

    @Test func theKernelsFlagMakesADiskRemovable() {
        scratch.file("block/8:33/removable", "1\n")
        scratch.file("block/8:49/removable", "0\n")
        let stick = Mount(id: 1, device: "8:33", root: "/", point: "/data/card", type: "ext4", source: "/dev/sdc")
        var disk = stick
        disk.device = "8:49"
        #expect(volumes([]).isRemovable(stick) && !volumes([]).isRemovable(disk))
    }
}
