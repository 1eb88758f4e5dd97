import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine

struct CatalogShareCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Mark a folder as one that several stations deliver to.",
        discussion: """
            Writes a file with a random id into it, once, and tells the id. Stations share a folder where each of them finds the same id; \
            paths are never compared.

            EXAMPLE:
              filmgate catalog share /mnt/nas/wedding
            """)

    @Argument(help: "The root of the folder target, on the disk that all stations reach.", completion: .directory)
    var folder: String

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let path = invocation.paths.absolute(folder), made: (id: String, isNew: Bool), console = invocation.console
        do throws(IngestError) { made = try SharedFolderFile.share(path) } catch {
            throw CommandContext.end(error, options, console)
        }
        guard options.json else {
            return console.out(
                "\(Describe.name(path)) is shared\(made.isNew ? "" : " already"), with the id \(made.id).")
        }
        var line = JSONWriter()
        line.add("type", "share")
        line.add("path", path)
        line.add("id", made.id)
        line.add("new", made.isNew)
        console.out(line.finished)
    }
}
