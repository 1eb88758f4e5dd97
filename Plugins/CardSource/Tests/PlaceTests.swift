import FileKit
import FilmgateCore
import Glibc
import Logging
import Testing

@testable import CardKit
@testable import CardSource

@Suite struct PlaceTests {
    private func places(_ paths: String...) async throws -> [String] {
        try await ScratchCard.source(paths).places().map(\.address)
    }

    @Test func aMissingPathIsNotFoundWithAdviceAndAnEmptyGlobIsFine() async throws {
        let card = ScratchCard()
        await #expect { _ = try await places(card.path + "/none") } throws: { error in
            let error = error as? IngestError
            return error?.code == .notFound && error?.advice?.contains("mounted") == true
        }
        #expect(try await places(card.path + "/*/none") == [])
    }

    @Test func globsMatchFoldersInNaturalOrder() async throws {
        let card = ScratchCard("m/c10/", "m/c9/x", "m/file")
        #expect(try await places(card.path + "/m/*") == [card.path + "/m/c9", card.path + "/m/c10"])
    }

    @Test func aWrittenOutNameWithGlobCharactersIsJustAName() async throws {
        let card = ScratchCard("card [1]/x", "card 1/x")
        #expect(try await places(card.path + "/card [1]") == [card.path + "/card [1]"])
    }

    @Test func placesAreAbsoluteWithoutLinksEachOnceAndNeverNested() async throws {
        let card = ScratchCard("a/b/x", "c/")
        card.link("l", to: "a")
        #expect(
            try await places(card.path + "/l", card.path + "/a/b", card.path + "/a/../a", card.path + "/c") == [
                card.path + "/a", card.path + "/c",
            ])
        #expect(try await places(card.path + "/a/b", card.path) == [card.path])
    }

    @Test func theHomeFolderIsUnderstood() async throws {
        let home = try #require(getenv("HOME").map { String(cString: $0) })
        #expect(try await places("~") == [FileSystem.canonical(home)])
    }

    @Test func aSingleFileBringsNothingElse() async throws {
        let card = ScratchCard("DCIM/IMG_1.JPG", "DCIM/IMG_1.CR3", "DCIM/.odd.jpg", "DCIM/sub/IMG_1.JPG")
        let source = try ScratchCard.source([card.path + "/DCIM/IMG_1.JPG", card.path + "/DCIM/.odd.jpg"])
        let places = try await source.places()
        #expect(places.map(\.address) == [card.path + "/DCIM"] && places[0].label == "DCIM")
        let entries = try await source.open(places[0]).entries()
        #expect(Set(entries.paths) == ["IMG_1.JPG", ".odd.jpg"] && entries.allSatisfy { $0.fate == .take })
        #expect(entries["IMG_1.JPG"]?.origin.root == card.path + "/DCIM")
    }

    @Test func aFolderGivenBesideItsFilesIsTakenWhole() async throws {
        let card = ScratchCard("IMG_1.JPG", "IMG_2.JPG")
        let source = try ScratchCard.source([card.path + "/IMG_1.JPG", card.path])
        let places = try await source.places()
        #expect(places.count == 1)
        #expect(try await source.open(places[0]).entries().count == 2)
    }

    @Test func aFIFOIsNoPlace() async throws {
        let card = ScratchCard()
        mkfifo(card.path + "/pipe", 0o600)
        await #expect { _ = try await places(card.path + "/pipe") } throws: { ($0 as? IngestError)?.code == .notFound }
    }

    @Test func mountedCardsAreFoundByThemselvesAndOtherDisksAreNot() async throws {
        let media = ScratchCard("CARD/DCIM/100A/", "BACKUP/Photos/", "XAVC/Private/M4ROOT/")
        let mounts = ["CARD", "BACKUP", "XAVC"].enumerated().map { index, name in
            Mount(
                id: index, device: "8:\(index)", root: "/", point: "\(media.path)/\(name)", type: "vfat",
                source: "/dev/sd\(index)")
        }
        let finder = PlaceFinder(
            logger: Logger(label: "test"), homes: [media.path],
            volumes: { () throws(IngestError) in Volumes(MountTable(mounts), disks: "/nowhere", blocks: "/nowhere") })
        let found = try finder.places([])
        #expect(found.map(\.folder) == [media.path + "/CARD", media.path + "/XAVC"])
        #expect(found.map(\.label) == ["CARD", "XAVC"])
    }

    @Test func aPartOfAMountedCardNamesTheWhole() throws {
        let media = ScratchCard("CARD/DCIM/100/IMG_1.JPG", "CARD/PRIVATE/x", "BACKUP/dump/DCIM/IMG_1.JPG")
        let mounts = ["CARD", "BACKUP"].enumerated().map { index, name in
            Mount(
                id: index, device: "8:\(index)", root: "/", point: "\(media.path)/\(name)", type: "ext4",
                source: "/dev/sd\(index)")
        }
        let finder = PlaceFinder(
            logger: Logger(label: "test"), homes: [],
            volumes: { () throws(IngestError) in Volumes(MountTable(mounts), disks: "/nowhere", blocks: "/nowhere") })
        let card = media.path + "/CARD"
        #expect(try finder.card(around: card + "/DCIM", takesAll: true) == card)
        #expect(try finder.card(around: card, takesAll: false) == card)
        #expect(try finder.card(around: card, takesAll: true) == nil)
        #expect(try finder.card(around: media.path + "/BACKUP/dump", takesAll: true) == nil)
    }

    @Test func aPlaceThatIsGoneIsNotFoundOnOpening() async throws {
        let card = ScratchCard("a/x")
        let source = try ScratchCard.source([card.path + "/*"])
        let places = try await source.places()
        unlink(card.path + "/a/x")
        rmdir(card.path + "/a")
        await #expect { _ = try await source.open(places[0]) } throws: { ($0 as? IngestError)?.code == .notFound }
    }
}
