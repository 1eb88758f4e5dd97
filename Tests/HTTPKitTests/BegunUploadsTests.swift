import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Testing

/// What is remembered of uploads that a server may know.
@Suite struct BegunUploadsTests {
    private func begun(_ state: String) -> BegunUploads { BegunUploads(state: state, name: "test", key: "a target") }
    private func digest(_ number: Int) -> String { String(repeating: "0", count: 60) + String(1000 + number) }

    /// Many at once are written together, and each is there before its bytes leave.
    @Test func whatBeginsSideBySideIsKept() async throws {
        let state = Temporary.ownFolder, uploads = begun(state)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try await uploads.note(digest(number), "/up/\(number)", mayBeWhole: number % 2 == 0)
                    #expect(try begun(state).place(of: digest(number)) == "/up/\(number)")
                }
            }
            try await group.waitForAll()
        }
        let later = begun(state)
        for number in 0..<200 {
            #expect(try later.place(of: digest(number)) == "/up/\(number)")
            #expect(later.mayBeWhole(digest(number)) == (number % 2 == 0))
        }
    }

    private func small(_ state: String) -> BegunUploads {
        BegunUploads(state: state, name: "test", key: "a target", most: 50)
    }

    /// A season of uploads: the newest are known, and whatever was begun and has not ended.
    @Test func whatEndedIsForgottenForOthers() async throws {
        let state = Temporary.ownFolder, uploads = small(state)
        try await uploads.note(digest(0), "/first")
        for number in 1...510 {
            try await uploads.note(digest(number), "/up/\(number)")
            uploads.end(digest(number), "/elsewhere")
            uploads.end(digest(number), "/up/\(number)")
            #expect(try uploads.place(of: digest(number)) == "/up/\(number)")
        }
        let known = try (1...510).filter { try uploads.place(of: digest($0)) != nil }
        #expect((25...51).contains(known.count), "\(known.count)")
        #expect(try uploads.place(of: digest(0)) == "/first" && small(state).place(of: digest(0)) == "/first")
    }

    /// The file is written anew once most of it says nothing any more; what is open stays, and so do the newest.
    @Test func theFileDoesNotGrowForEver() async throws {
        let state = Temporary.ownFolder, uploads = small(state)
        try await uploads.note(digest(0), "/open")
        try await uploads.note(digest(1), "/last", mayBeWhole: true)
        for number in 2..<500 {
            try await uploads.note(digest(number), "/up/\(number)")
            uploads.end(digest(number), "/up/\(number)")
        }
        // Begun anew after its end.
        try await uploads.note(digest(2), "/up/2")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: state).first)
        let path = state + "/" + name, before = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let later = small(state)
        #expect(try later.place(of: digest(0)) == "/open" && later.place(of: digest(2)) == "/up/2")
        #expect(try later.place(of: digest(1)) == "/last" && later.mayBeWhole(digest(1)))
        #expect(try later.place(of: digest(498)) == "/up/498" && later.place(of: digest(3)) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < before / 5)
        // Who had it open before writes to the new one.
        try await uploads.note(digest(600), "/new")
        let last = small(state)
        #expect(try last.place(of: digest(600)) == "/new" && last.place(of: digest(0)) == "/open")
        #expect(last.mayBeWhole(digest(1)))
    }

    @Test func theLastWordCounts() async throws {
        let state = Temporary.ownFolder, uploads = begun(state)
        try await uploads.note(digest(1), "/a", mayBeWhole: true)
        try await uploads.note(digest(1), "/a")
        try await uploads.note(digest(2), "/b")
        try await uploads.note(digest(2), "/c")
        let later = begun(state)
        #expect(try later.place(of: digest(1)) == "/a" && !later.mayBeWhole(digest(1)))
        #expect(try later.place(of: digest(2)) == "/c")
    }

    /// Who is killed before the ledger knows of an answer leaves nobody else who knows that the bytes may have arrived.
    @Test func whatMayBeWholeIsThatUntilTheEndIsFinished() async throws {
        let state = Temporary.ownFolder, uploads = begun(state)
        try await uploads.note(digest(1), "/a", mayBeWhole: true)
        uploads.end(digest(1), "/a")
        try await uploads.note(digest(2), "/b", mayBeWhole: true)
        #expect(!uploads.mayBeWhole(digest(1)) && begun(state).mayBeWhole(digest(1)))
        // Begun anew after its end.
        uploads.end(digest(2), "/b")
        try await uploads.note(digest(2), "/c", mayBeWhole: true)
        await uploads.finish()
        let later = begun(state)
        #expect(!later.mayBeWhole(digest(1)) && later.mayBeWhole(digest(2)))
        #expect(try later.place(of: digest(1)) == "/a" && later.place(of: digest(2)) == "/c")
    }

    /// A run of many days: of what ended long before, the ledger knows.
    @Test func whatEndedLongAgoIsWrittenBesideTheNext() async throws {
        let state = Temporary.ownFolder, uploads = small(state)
        for number in 0..<40 {
            try await uploads.note(digest(number), "/up/\(number)", mayBeWhole: true)
            uploads.end(digest(number), "/up/\(number)")
        }
        let open = (0..<40).filter { small(state).mayBeWhole(digest($0)) }
        #expect((1...8).contains(open.count) && open.last == 39, "\(open)")
    }

    /// Written beside the next upload that begins; what is known by another place stays.
    @Test func whatIsExpectedIsWrittenWithWhatBegins() async throws {
        let state = Temporary.ownFolder, uploads = begun(state)
        try await uploads.note(digest(1), "/begun")
        uploads.expect(digest(1), "/elsewhere")
        uploads.expect(digest(2), "/first")
        uploads.expect(digest(2), "/second")
        uploads.expect(digest(3), "/with a space")
        #expect(try begun(state).place(of: digest(2)) == nil && uploads.place(of: digest(2)) == nil)
        try await uploads.note(digest(4), "/d")
        for told in [uploads, begun(state)] {
            let places = try (1...4).map { try told.place(of: digest($0)) }
            #expect(places == ["/begun", "/first", nil, "/d"])
        }
        // Another name than was expected.
        uploads.expect(digest(5), "/e")
        try await uploads.note(digest(5), "/e2")
        #expect(try begun(state).place(of: digest(5)) == "/e2")
    }

    /// A power cut tears the last line: what is left of it says nothing, and swallows nothing.
    @Test(arguments: [1, 2, 5, 40]) func aTornLineSwallowsNoOther(_ lost: Int) async throws {
        let state = Temporary.ownFolder
        try await begun(state).note(digest(1), "/up/first")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: state).first)
        let path = URL(fileURLWithPath: state + "/" + name)
        try Data(contentsOf: path).dropLast(lost).write(to: path)
        let uploads = begun(state)
        #expect(try uploads.place(of: digest(1)) == nil)
        try await uploads.note(digest(2), "/b", mayBeWhole: true)
        let later = begun(state)
        #expect(try later.place(of: digest(2)) == "/b" && later.place(of: digest(1)) == nil)
        #expect(later.mayBeWhole(digest(2)))
    }

    /// What cannot be written is not said to be remembered, here or later.
    @Test func aDiskThatTakesNothingIsTold() async throws {
        let uploads = begun("/proc/no-such-folder")
        await #expect(throws: IngestError.self) { try await uploads.note(digest(1), "/a") }
        #expect(try uploads.place(of: digest(1)) == nil)
    }
}
