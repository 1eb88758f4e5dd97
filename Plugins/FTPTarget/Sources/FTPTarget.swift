public import FilmgateCore
public import HTTPKit

/// `ftp`: delivers into a folder of a server.
///
/// A name appears there only when its bytes are whole.
public struct FTPTarget: Module, PlacedFilesTarget {
    public static let manifest = Manifest(
        "ftp", "Delivers into a folder of an FTP server, over TLS.", stability: .beta, needs: [.file, .digest],
        gives: [.receipt])

    public let traits: TargetTraits, files: PlacedFiles

    public init(_ config: FTPOptions, _ context: ModuleContext) throws(IngestError) {
        let server = config.server(context.lookup.secrets)
        (files, traits) = try PlacedFiles.target("ftp", server, config.files, config.transport, context)
    }
}
