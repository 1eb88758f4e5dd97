import FilmgateCore
import FilmgateTesting
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

    /// What cannot be written is not said to be remembered, here or later.
    @Test func aDiskThatTakesNothingIsTold() async throws {
        let uploads = begun("/proc/no-such-folder")
        await #expect(throws: IngestError.self) { try await uploads.note(digest(1), "/a") }
        #expect(try uploads.place(of: digest(1)) == nil)
    }
}
