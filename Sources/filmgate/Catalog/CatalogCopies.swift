import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

struct CatalogWhereCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "where", abstract: "Who says to have these bytes: stations, places, proof.",
        discussion: """
            What another station says is its word, and makes no card safe to format. A digest of fewer than 64 digits names a picture that \
            this station knows. Ends with 5 where nobody has any of them.

            EXAMPLES:
              filmgate catalog where DSC_0101.NEF
              filmgate catalog where 9f2c81
            """)

    @Argument(help: "Files, or digests (SHA-256).", completion: .file())
    var files: [String]

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        try choice.handOver(options, invocation)
        let copies = try await CatalogCopies(choice, CommandContext(options, invocation))
        try await copies.tell(files) { name async throws(IngestError) in
            if try copies.isDigest(name) { return try await copies.digest(name) }
            return try FileCopy.hash(path: invocation.paths.absolute(name)).digests.sha256
        }
    }
}

struct CatalogFindCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Who says to have the bytes with these digests: stations, places, proof.",
        discussion: """
            As `filmgate catalog where`, for digests alone: no file is looked at. A digest of fewer than 64 digits names a picture that this \
            station knows. Ends with 5 where nobody has any of them.

            EXAMPLES:
              filmgate catalog find 9f2c81d04be5a1c7
              sha256sum *.NEF | cut -c 1-64 | xargs filmgate catalog find
            """)

    @Argument(help: "SHA-256 of pictures, in hexadecimal digits.")
    var digests: [String]

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        try choice.handOver(options, invocation)
        let copies = try await CatalogCopies(choice, CommandContext(options, invocation))
        try await copies.tell(digests) { name async throws(IngestError) in try await copies.digest(name) }
    }
}

/// Who says to have which bytes, asked of the catalogue and told to whoever asked.
struct CatalogCopies {
    let context: CommandContext, catalog: any Catalog

    init(_ choice: CatalogOptions, _ context: CommandContext) async throws {
        (self.context, catalog) = (context, try await ChosenCatalog(choice, context).catalog)
    }

    private struct Answer {
        var name: String, sha256: String, copies: [CatalogCopy]
        /// What this station's own ledger knows of the picture.
        var media: MediaFacts?
    }

    /// Pictures in one question: far fewer lines than the catalogue says at most.
    private static let atOnce = 16

    /// One after the other; ends the verb with 5 where nobody has any of them.
    func tell(_ names: [String], digest: (String) async throws(IngestError) -> String) async throws {
        let all = try await context.telling { () async throws(IngestError) -> [Answer] in
            try await MembershipCheck.requireAdmitted(catalog, context)
            var wanted: [String] = [], found: [String: [CatalogCopy]] = [:]
            for name in names { wanted.append(try await digest(name)) }
            for start in stride(from: 0, to: wanted.count, by: Self.atOnce) {
                let copies = try await catalog.copies(of: Array(wanted[start...].prefix(Self.atOnce)))
                found.merge(Dictionary(grouping: copies, by: \.sha256)) { $1 }
            }
            var answers: [Answer] = []
            let reader = try? SQLiteLedger.reader(directory: context.state)
            for (name, sha256) in zip(names, wanted) {
                let media = await Self.media(of: sha256, reader)
                answers.append(Answer(name: name, sha256: sha256, copies: found[sha256] ?? [], media: media))
            }
            return answers
        }
        await catalog.close()
        for answer in all { tell(answer) }
        if all.allSatisfy(\.copies.isEmpty) { throw Exit(.sourceLost) }
    }

    /// The camera and the time of the picture are in no catalogue: only a station that read it can say.
    private static func media(of sha256: String, _ reader: (any LedgerReader)?) async -> MediaFacts? {
        guard let reader else { return nil }
        let found = await Result { () async throws(IngestError) -> MediaFacts? in
            try await reader.assets(sha256: sha256).lazy.compactMap(\.media).first
        }
        return try? found.get()
    }

    /// Model, serial number and time of the picture, as far as they are known.
    static func text(_ media: MediaFacts) -> String {
        let camera = media.model.map { ModelSpellings.shown(make: media.make, model: $0) } ?? media.make
        let body = [camera, media.serial.map { "#" + $0 }].compactMap(\.self).joined(separator: " ")
        return [body.isEmpty ? nil : body, media.captured?.description].compactMap(\.self).joined(separator: "  ")
    }

    private func tell(_ answer: Answer) {
        if context.options.json {
            for copy in answer.copies { context.console.out(CatalogLine.place(copy, answer.media).finished) }
            return
        }
        let size = answer.copies.lazy.compactMap(\.size).first.map { "  " + Describe.bytes($0) } ?? ""
        let name = answer.sha256.hasPrefix(answer.name.lowercased()) ? "" : "  " + answer.name
        let media = answer.media.map(Self.text).flatMap { $0.isEmpty ? nil : "  " + $0 } ?? ""
        context.console.out(Describe.name("\(answer.sha256)\(size)\(media)\(name)"))
        if answer.copies.isEmpty { context.console.out("  nobody") }
        for copy in answer.copies { context.console.out("  " + Describe.name(Self.text(copy))) }
    }

    /// A name of digits that no file has.
    func isDigest(_ name: String) throws(IngestError) -> Bool {
        guard PictureSearch.isHexadecimal(name) else { return false }
        if name.utf8.count == 64 { return true }
        return try FileFacts.of(context.invocation.paths.absolute(name)) == nil
    }

    /// All 64 digits: the catalogue is asked for whole digests, so a shorter one must be of a picture that this ledger
    /// knows.
    func digest(_ name: String) async throws(IngestError) -> String {
        let digits = name.lowercased()
        guard PictureSearch.isHexadecimal(digits) else {
            throw IngestError(
                .misconfigured, "\(Describe.name(name)) is no SHA-256.",
                advice: "It has 64 hexadecimal digits; `filmgate catalog where` takes files.")
        }
        if digits.utf8.count == 64 { return digits }
        let reader = try SQLiteLedger.reader(directory: context.state)
        let search = PictureSearch(reader: reader, start: context.invocation.paths)
        do throws(IngestError) { return try await search.sha256(beginning: digits) } catch {
            guard error.code == .misconfigured else { throw error }
            throw IngestError(
                error.code, error.message, advice: "All 64 digits name a picture that only others know, too.")
        }
    }

    private static func text(_ copy: CatalogCopy) -> String {
        let time = CivilTime(unixSeconds: copy.at / 1_000_000_000)?.description ?? "?"
        let detail = copy.detail.map { " \($0)" } ?? ""
        switch copy.state {
        case .seen: return "\(copy.station)  seen as \(copy.place) (\(copy.detail ?? "?")) \(time)"
        case .done: return "\(copy.station)  delivered to \(copy.place) (\(copy.proof ?? "no proof"))\(detail) \(time)"
        case .removed: return "\(copy.station)  no longer at \(copy.place)\(detail) \(time)"
        case .claimed: return "\(copy.station)  sends it to \(copy.place) \(time)"
        case .unsure: return "\(copy.station)  may have sent it to \(copy.place) \(time)"
        }
    }
}
