import FileKit
import FilmgateCore
import Testing

@Suite struct MountTableTests {
    static let text = #"""
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
        40 27 8:17 / /media/ann/EOS\040DIGITAL rw,nosuid shared:9 master:2 - vfat /dev/sdb1 rw,fmask=0022
        41 27 8:17 /DCIM /mnt/bind ro,relatime - vfat /dev/sdb1 rw
        42 27 0:50 / /media/ann/nas rw - cifs //nas/photos rw
        43 27 8:33 / /mnt/a\011b\134c rw unknown:3 - exfat /dev/sdc1 rw
        44 27 0:51 / /mnt/over rw - tmpfs none rw
        45 27 0:52 / /mnt/over rw - tmpfs tmpfs rw
        46 27 8:49 / /boot/efi rw - vfat /dev/sda1 rw
        47 27 11:0 / /media/ann/DVD ro - iso9660 /dev/sr0 ro
        nonsense
        48 27 8:1 / /x rw
        49 27 8:1 / /x rw - ext4
        """#
    private let table = MountTable(parsing: Array(text.utf8))

    @Test func linesAreReadWithTheirEscapes() {
        #expect(table.mounts.count == 10)
        #expect(
            table.mounts[2]
                == Mount(
                    id: 40, device: "8:17", root: "/", point: "/media/ann/EOS DIGITAL", type: "vfat",
                    source: "/dev/sdb1"))
        #expect(table.mounts[3].isReadOnly && !table.mounts[2].isReadOnly)
        #expect(table.mounts[5].point == "/mnt/a\tb\\c")
    }

    @Test(arguments: [
        ("/media/ann/EOS DIGITAL/DCIM", 40), ("/media/ann/EOS DIGITAL", 40), ("/media/ann/EOS DIGITAL 2", 27),
        ("/mnt/over/x", 45), ("/", 27), ("/procedure", 27), ("/proc", 22), ("/mnt/bind/100A/x", 41),
    ])
    func theDeepestAndLatestMountHoldsAPath(_ path: String, _ id: Int) {
        #expect(table.mount(of: path)?.id == id)
    }

    @Test func inAChangedRootTheDeviceOfTheRootStandsForItsMount() throws {
        let table = try MountTable.current("/dev/null")
        #expect(table.mount(of: "/somewhere/CARD")?.point == "/")
        #expect(try !Volumes(table).volume(of: "/somewhere/CARD").identity.isEmpty)
    }

    @Test func aBindMountStillGivesThePathOnTheVolume() {
        #expect(table.mounts[3].pathOnVolume("/mnt/bind/100A/x") == "DCIM/100A/x")
        #expect(table.mounts[3].pathOnVolume("/mnt/bind") == "DCIM")
        #expect(table.mounts[2].pathOnVolume("/media/ann/EOS DIGITAL/DCIM/100A/x") == "DCIM/100A/x")
        #expect(table.mounts[1].pathOnVolume("/home/ann") == "home/ann")
        #expect(table.mounts[2].pathOnVolume("/media/ann") == nil)
    }

    @Test func theRemovableOnesAreCardsAndSticksEachOnce() {
        let volumes = Volumes(table, disks: "/nowhere", blocks: "/nowhere")
        #expect(volumes.removable.map(\.id) == [40, 43, 41])
        #expect(!volumes.isRemovable(table.mounts[8]), "the boot loader's FAT partition is no card")
    }

    @Test func thisMachineHasATable() throws {
        let table = try MountTable.current()
        #expect(table.isMountPoint("/proc") && table.mount(of: "/proc/self")?.type == "proc")
    }
}
