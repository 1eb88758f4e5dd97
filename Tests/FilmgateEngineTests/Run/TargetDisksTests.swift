import Testing

@testable import FilmgateEngine

/// Whose files may lie below a target's folder, by the identities of other targets.
@Suite struct TargetDisksTests {
    @Test(arguments: [
        "/srv/photos", "/srv", "/", "/srv/photos/2026", "/srv/photos:Wedding", "/srv:Wedding", "/:Wedding",
        "/srv/photos:\u{301}x", "/srv/photos/\u{301}x",
    ])
    func aFolderAboveAtOrBelowIsNear(_ other: String) {
        #expect(TargetDisks.isNear("/srv/photos", other[...]))
        #expect(TargetDisks.isNear("/", other[...]))
    }

    @Test(arguments: ["/srv/photos2", "/srv/photo", "/srv/other", "/mnt", "/srv/photos2:Wedding", "/srvphotos", ""])
    func aFolderBesideIsNot(_ other: String) { #expect(!TargetDisks.isNear("/srv/photos", other[...])) }

    @Test(
        arguments: [
            ("/mnt/d", "UUID-1:", "/mnt/d"), ("/mnt/d/pics/a", "UUID-1:pics/a", "/mnt/d"),
            ("/mnt/d/pics", "dev:0:27/btrfs/1f:@data/pics", "/mnt/d"), ("/mnt/d", "dev:0:27/btrfs/1f:@data", "/mnt/d"),
            ("/srv/pics", "UUID-1:srv/pics", nil), ("/", "UUID-1:", nil),
        ] as [(String, String, String?)])
    func whereADiskWasMountedIsKnownByWhatWasNoted(_ folder: String, _ noted: String, _ point: String?) {
        #expect(TargetDisks.mountPoint(folder, noted) == point)
    }

    /// Earlier versions kept the place alone.
    @Test func whatTheLedgerKeepsIsReadBack() throws {
        let now = try #require(FolderDisk(of: "/")), old = try #require(FolderDisk(text: "UUID-1:srv/pics"))
        #expect(now.mountPoint == "/" && FolderDisk(text: now.text) == now)
        #expect(old.place == "UUID-1:srv/pics" && old.mountPoint == nil && FolderDisk(text: old.text) == old)
        #expect(FolderDisk(text: "") == nil)
    }
}
