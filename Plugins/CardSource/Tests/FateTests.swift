import FilmgateCore
import Glibc
import Testing

@testable import CardKit
@testable import CardSource
@testable import FileKit

@Suite struct FateTests {
    private func isFiltered(_ entry: SourceEntry?, _ word: String) -> Bool {
        guard case .filtered(let reason)? = entry?.fate else { return false }
        return reason.hasPrefix(word)
    }

    @Test func junkIsCountedAndItsFoldersAreOneEntry() async throws {
        let folders = [
            ".Trashes/501/IMG_1.JPG", ".Trash-1000/files/a.jpg", ".Spotlight-V100/x", ".fseventsd/y",
            "System Volume Information/z", "$RECYCLE.BIN/a/b.jpg", "__MACOSX/c", "LOST.DIR/1", ".filmgate/staging/x",
        ]
        let files = ["DCIM/._IMG_1.JPG", "DCIM/Thumbs.db", "DCIM/DESKTOP.INI", "DCIM/.DS_Store"]
        let card = ScratchCard("DCIM/IMG_1.JPG")
        card.add(folders + files)
        let entries = try await card.entries()
        #expect(entries.count == folders.count + files.count + 1)
        #expect(entries.filter { $0.fate == .take }.paths == ["DCIM/IMG_1.JPG"])
        for entry in entries where entry.fate != .take { #expect(isFiltered(entry, "junk: "), "\(entry.origin.path)") }
        #expect(entries.contains { $0.origin.path == ".Trashes" && $0.origin.size == 0 })
    }

    /// The name of a file that systems leave behind says nothing of a folder.
    @Test func aFolderWithTheNameOfAJunkFileIsLookedInto() async throws {
        let card = ScratchCard("DCIM/Thumbs.db/IMG_1.JPG", "DCIM/desktop.ini/IMG_2.JPG", "DCIM/._x/IMG_3.JPG")
        let entries = try await card.entries()
        #expect(
            entries.filter { $0.fate == .take }.paths.sorted() == [
                "DCIM/Thumbs.db/IMG_1.JPG", "DCIM/desktop.ini/IMG_2.JPG",
            ])
        #expect(isFiltered(entries["DCIM/._x"], "hidden: "))
    }

    @Test func hiddenNamesAreLeftOutUnlessAskedFor() async throws {
        let card = ScratchCard(".hidden/IMG_1.JPG", "a/.IMG_2.JPG.part", "a/IMG_3.JPG", "a/.DS_Store")
        let entries = try await card.entries()
        #expect(
            entries.count == 4 && isFiltered(entries[".hidden"], "hidden: ")
                && isFiltered(entries["a/.IMG_2.JPG.part"], "hidden: "))
        let all = try await card.entries(hidden: true)
        #expect(all[".hidden/IMG_1.JPG"]?.fate == .take && isFiltered(all["a/.DS_Store"], "junk: "))
    }

    @Test func housekeepingIsFilteredAndPublished() async throws {
        let card = ScratchCard(
            "MISC/AUTPRINT.MRK", "DCIM/CANONMSC/M0100.CTG", "nikon001.dsc", "MISC/IMG_1.JPG", "DATABASE/DATABASE.BIN",
            "OTHER/DATABASE.BIN")
        let entries = try await card.entries()
        #expect(entries.filter { $0.fate == .take }.paths == ["MISC/IMG_1.JPG", "OTHER/DATABASE.BIN"])
        #expect(entries["OTHER/DATABASE.BIN"]?.kind == .other)
        #expect(entries.filter { isFiltered($0, "housekeeping: ") }.count == 4)
    }

    /// A session of tethering software: previews are made anew, what was done to the pictures is taken with them.
    @Test func aSessionsOwnFoldersAreNoUnknownFiles() async throws {
        let card = ScratchCard(
            "Capture/IMG_1.CR3", "Capture/CaptureOne/Cache/Thumbnails/IMG_1.CR3.cot",
            "Capture/CaptureOne/Cache/Proxies/IMG_1.CR3.cop", "Capture/CaptureOne/Cache/Proxies/IMG_1.CR3.cof",
            "Capture/CaptureOne/Settings166/IMG_1.CR3.cos", "Capture/CaptureOne/Settings166/IMG_1.CR3.comask",
            "Capture/CaptureOne/Settings166/a.icm", "Capture/a.cot", "a.comask")
        let entries = try await card.entries()
        #expect(entries.filter { isFiltered($0, "housekeeping: a preview") }.count == 3)
        for name in ["IMG_1.CR3.cos", "IMG_1.CR3.comask", "a.icm"] {
            let entry = entries["Capture/CaptureOne/Settings166/" + name]
            #expect(entry?.fate == .take && entry?.kind == .sidecar, "\(name)")
        }
        #expect(entries["Capture/IMG_1.CR3"]?.kind == .raw)
        // Elsewhere these names say nothing.
        for name in ["Capture/a.cot", "a.comask"] {
            #expect(entries[name]?.kind == .other && entries[name]?.fate == .take, "\(name)")
        }
        #expect(CardSource.isHousekeeping(path: "/s/Capture/captureone/cache/Thumbnails/IMG_1.CR3.COT"))
        #expect(!CardSource.isHousekeeping(path: "Capture/CaptureOne/Settings166/IMG_1.CR3.cos"))
        #expect(!CardSource.isHousekeeping(path: "CaptureOne/Cache/Thumbnails/IMG_1.CR3"))
    }

    @Test func noHousekeepingPatternMatchesMedia() {
        for pattern in CardSource.housekeeping {
            let kind = MediaKind(fileName: pattern)
            #expect(kind == .other || kind == .sidecar, "\(pattern)")
            #expect(!pattern.hasSuffix("*") && pattern != "*")
        }
        for kind in MediaKind.byExtension where kind.value != .sidecar {
            for folder in ["DCIM/100CANON", "MISC", "M4ROOT", "DATABASE", "AVF_INFO"] {
                #expect(!CardSource.isHousekeeping(path: "\(folder)/AUTPRINT.\(kind.key)"))
            }
        }
    }

    @Test(arguments: [
        ("PRIVATE/AVCHD/BDMV/INDEX.BDM", true), ("/media/x/DCIM/CANONMSC/M0100.CTG", true), ("Thumbs.db", true),
        ("a/._IMG_1.JPG", true), ("System Volume Information", true), ("M4ROOT/STATUS.BIN", true),
        ("STATUS.BIN", false), (".Trashes", false), ("LOST.DIR", false), ("$RECYCLE.BIN", false), (".filmgate", false),
        ("IMG_1.JPG", false), ("NIKON01.DSC", false), ("", false), ("/", false), ("x.ctg.jpg", false),
    ])
    func onlyWhatHoldsNoPictureIsExempt(_ path: String, _ expected: Bool) {
        #expect(CardSource.isHousekeeping(path: path) == expected)
    }

    @Test func oddTypesAreNamedAndNeverOpened() async throws {
        let card = ScratchCard("a/IMG_1.JPG", "real/IMG_2.JPG")
        card.link("a/loop", to: "..")
        card.link("a/IMG_2.JPG", to: "../real/IMG_2.JPG")
        mkfifo("\(card.path)/a/IMG_3.JPG", 0o600)
        let entries = try await card.entries()
        #expect(entries.count == 5)
        #expect(
            isFiltered(entries["a/loop"], "a symbolic link") && isFiltered(entries["a/IMG_2.JPG"], "a symbolic link"))
        #expect(isFiltered(entries["a/IMG_3.JPG"], "a FIFO"))
    }

    @Test func unknownKindsAreLeftToTheEngine() async throws {
        let entries = try await ScratchCard("a/notes.docx", "a/noextension").entries()
        #expect(entries.allSatisfy { $0.kind == .other && $0.fate == .take } && entries.count == 2)
    }

    @Test func whatCannotBeLookedAtIsSetAsideByName() async throws {
        var entry = ScanEntry(path: "DCIM/IMG_1.JPG", name: "IMG_1.JPG", depth: 1, type: .file)
        entry.problem = "Input/output error"
        let verdict = Classifier(hidden: false).verdict(on: entry, promised: .jpeg, in: nil)
        #expect(verdict.fate == .unreadable("Input/output error") && verdict.kind == .jpeg)
        entry.type = .folder
        #expect(Classifier(hidden: false).verdict(on: entry, promised: .jpeg, in: nil).kind == .other)
    }

    @Test func foldersTooDeepAreSetAside() async throws {
        let card = ScratchCard(String(repeating: "d/", count: 70) + "IMG_1.JPG")
        let entries = try await card.entries()
        #expect(entries.count == 1)
        #expect(entries[0].fate == .unreadable("more than 64 folders below each other"))
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything")) func aClosedFolderIsSetAside() async throws {
        let card = ScratchCard("DCIM/100A/IMG_1.JPG", "DCIM/101A/IMG_2.JPG")
        chmod("\(card.path)/DCIM/100A", 0)
        defer { chmod("\(card.path)/DCIM/100A", 0o755) }
        let entries = try await card.entries()
        #expect(entries.paths == ["DCIM/100A", "DCIM/101A/IMG_2.JPG"])
        #expect(entries[0].fate == .unreadable("Permission denied"))
    }
}
