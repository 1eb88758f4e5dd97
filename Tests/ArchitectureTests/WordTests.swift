import Foundation
import Testing

@Suite struct WordTests {
    /// Makers are named in modules, pipelines and fixtures only.
    ///
    /// File formats keep the names that their bytes spell.
    static let makers = [
        "canon", "nikon", "sony", "fuji", "olympus", "panasonic", "pentax", "leica", "hasselblad", "gopro", "minolta",
        "ricoh", "samsung", "kodak",
    ]
    static let spelled = [
        "ICANON", "FUJIFILMCCD-RAW", "canonical", "Canonical", "NIKON###.DSC", "SONYCARD.IND",
        "GET_STARTED_WITH_GOPRO*.URL",
    ]

    @Test(
        arguments: Repository.code.filter {
            $0.path.hasPrefix("Sources/") && !$0.isFixture && !$0.path.hasSuffix("filmgate/Modules.swift")
        }
    )
    func noMakerInGenericLayers(_ file: Repository.File) {
        let text = Self.spelled.reduce(file.text) { $0.replacingOccurrences(of: $1, with: "") }.lowercased()
        for maker in Self.makers { #expect(text.range(of: maker) == nil, "\(file.path) names a maker: \(maker)") }
    }

    /// Left-overs of work, and paths that exist on one machine only.
    static let leftovers = ["TODO", "FIXME", "for now", "/" + "work/", "/" + "root/", "/" + "home/"]

    @Test(arguments: Repository.code + Repository.files(in: "", ending: ".md", ".yaml", ".sh", "Makefile", "run"))
    func nothingUnfinished(_ file: Repository.File) {
        for word in Self.leftovers { #expect(file.text.range(of: word) == nil, "\(file.path) still says \(word)") }
    }

    @Test(arguments: Repository.code)
    func noEmptyNames(_ file: Repository.File) {
        // Most lines hold none of them: a regular expression for each would take a minute.
        for line in file.code where ["Manager", "Helper", "Util"].contains(where: { line.contains($0) }) {
            #expect(
                line.firstMatch(of: /\b(struct|class|enum|actor|protocol) \w*(Manager|Helper|Util|Utils)\b/) == nil,
                "\(file.path): \(line)"
            )
        }
    }

    /// Pictures that types were once called after, and that hid what the types do.
    ///
    /// `Vocabulary.md` and the terms of the field have the words instead.
    static let metaphors: Set<Substring> = [
        "Audience", "Basket", "Bell", "Board", "Book", "Clerk", "Consignment", "Courier", "Crew", "Custody", "Deed",
        "Desk", "Dialogue", "Door", "Ear", "Errand", "Gatherer", "Glance", "Green", "Greeting", "Guest", "Habit",
        "Happening", "Helm", "House", "Keeper", "Knock", "Lane", "Living", "Mailbox", "Mailslot", "Memo", "Motion",
        "Neighbourhood", "Outbox", "Outlet", "Overheard", "Parcel", "Placer", "Porch", "Press", "Rehearsal", "Ripening",
        "Sheet", "Shelf", "Sight", "Stay", "Stray", "Tally", "Tether", "Trouble", "Turnstile", "Upkeep", "Visitor",
        "Witness", "Workplace",
    ]

    /// Where such a word is the name of the thing itself, and why.
    static let named: [(word: Substring, folder: String, reason: String)] = [
        ("Clerk", "Plugins/ClerkAuth/", "the sign-in service is called Clerk")
    ]

    @Test(arguments: Repository.code + Repository.tests)
    func typesAreCalledWhatTheyAre(_ file: Repository.File) {
        for type in TypeName.declared(in: file) {
            for word in TypeName.words(of: type) where Self.metaphors.contains(word) {
                let isNamed = Self.named.contains { $0.word == word && file.path.hasPrefix($0.folder) }
                #expect(
                    isNamed,
                    "\(file.path): `\(type)` is called after a picture (\(word)); Vocabulary.md has the words to use")
            }
        }
    }

    @Test(arguments: ["CameraPorch": ["Camera", "Porch"], "FTPGuests": ["FTP", "Guest"], "Witnesses": ["Witness"]])
    func namesAreCutIntoWords(_ name: String, _ words: [String]) {
        #expect(TypeName.words(of: name).map(String.init) == words)
    }

    /// A reader who sees both in one file cannot tell two types of one name apart.
    @Test(arguments: Repository.folders(in: "Sources") + Repository.folders(in: "Plugins"))
    func noTypeIsNamedLikeOneThatIsImported(_ target: String) {
        let imported = TypeName.imports[target, default: []].reduce(into: Set()) {
            $0.formUnion(TypeName.offered[$1, default: []])
        }
        #expect(TypeName.own[target, default: []].intersection(imported) == [])
    }
}
