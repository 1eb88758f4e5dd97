public import FilmgateCore
public import HTTPKit

/// `sftp`: delivers into a folder of a server.
///
/// A name appears there only when its bytes are whole.
public struct SFTPTarget: Module, PlacedFilesTarget {
    public static let manifest = Manifest(
        "sftp", "Delivers into a folder over SSH; the host has to prove who it is.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits, files: PlacedFiles

    public init(_ config: SFTPOptions, _ context: ModuleContext) throws(IngestError) {
        let server = config.server(context.lookup.secrets)
        (files, traits) = try PlacedFiles.target("sftp", server, config.files, config.files.transport, context)
    }
}
