import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FolderTarget

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read delivered copies again and compare them with the ledger, or a folder with its ASC MHL manifest.",
        discussion: """
            With a PATH that has an ASC MHL history (or an MHL 1.1 file) of any program, the files that Filmgate did not deliver are compared
            with that.

            EXAMPLE:
              filmgate verify ~/Pictures/2026
            """)

    @Argument(help: "Only copies below this folder; absent: all.", completion: .directory)
    var path: String?

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let workplace = try Workplace(options)
        let reader = try await workplace.readLedger()
        let prefix = path.map { FileSystem.canonical(UserPath.absolute($0)) } ?? ""
        var tally = VerifyTally(json: options.json)
        try await workplace.telling { () async throws(IngestError) in
            if let path, try FileFacts.of(prefix) == nil { throw IngestError(.notFound, "There is no \(path).") }
            let check = CopyCheck()
            var told: Set<[UInt8]> = []
            for delivery in try await reader.delivered(below: prefix) {
                let path = delivery.receipt.path ?? ""
                told.insert(Array(path.utf8))
                tally.add(path, .sha256, delivery.receipt.sha256, await check.examine(delivery))
            }
            guard path != nil else { return }
            for file in try ManifestListing.below(prefix).files where told.insert(Array(file.path.utf8)).inserted {
                let found = await check.examine(file.path, size: file.size, file.algorithm, file.digest)
                tally.add(file.path, file.algorithm, file.digest, found)
            }
        }
        tally.finish()
        if tally.bad > 0 { throw Exit(.mismatch) }
        if tally.checked == 0 {
            throw Workplace.end(IngestError(.notFound, "Nothing is known below \(path ?? "the state directory")."), options)
        }
    }
}

/// Counts and tells what `verify` finds.
struct VerifyTally {
    let json: Bool
    private(set) var equal = 0, missing = 0, different = 0

    init(json: Bool) { self.json = json }

    var bad: Int { missing + different }
    var checked: Int { equal + bad }

    mutating func add(_ path: String, _ algorithm: DigestAlgorithm, _ digest: String?, _ verification: Verification) {
        let (word, reason): (String, String?)
        switch verification {
        case .equal:
            equal += 1
            (word, reason) = ("equal", nil)
        case .differs(let why):
            different += 1
            (word, reason) = ("differs", why)
        case .missing:
            missing += 1
            (word, reason) = ("missing", nil)
        case .cannotTell: return
        }
        if json {
            var line = JSONObject()
            line.add("type", "item")
            line.add("path", path)
            line.add("verification", word)
            line.add("reason", reason)
            line.add("sha256", algorithm == .sha256 ? digest : nil)
            if algorithm != .sha256 { line.add(algorithm.rawValue, digest) }
            Console.out(line.finished)
        } else if verification != .equal {
            Console.out("\(word): \(Describe.name(path))\(reason.map { ": " + $0 } ?? "")")
        }
    }

    func finish() {
        let exit = bad > 0 ? ExitStatus.mismatch : .complete
        if json {
            var line = JSONObject()
            line.add("type", "summary")
            line.add("seen", checked)
            line.add("equal", equal)
            line.add("missing", missing)
            line.add("differs", different)
            line.add("exit", Int(exit.rawValue))
            Console.out(line.finished)
        } else {
            Console.out("\(Describe.count(checked, "copy", "copies")): \(equal) equal, \(different) different, \(missing) missing")
        }
    }
}
