import Testing

@testable import FilmgateEngine

/// Whose files may lie below a target's folder, by the identities of other targets.
@Suite struct TargetDisksTests {
    @Test(arguments: [
        "/srv/photos", "/srv", "/", "/srv/photos/2026", "/srv/photos:Wedding", "/srv:Wedding", "/:Wedding",
    ])
    func aFolderAboveAtOrBelowIsNear(_ other: String) {
        #expect(TargetDisks.isNear("/srv/photos", other[...]))
        #expect(TargetDisks.isNear("/", other[...]))
    }

    @Test(arguments: ["/srv/photos2", "/srv/photo", "/srv/other", "/mnt", "/srv/photos2:Wedding", "/srvphotos", ""])
    func aFolderBesideIsNot(_ other: String) { #expect(!TargetDisks.isNear("/srv/photos", other[...])) }
}
