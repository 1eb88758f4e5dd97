public import FilmgateCore
import HTTPKit

/// `sftp`: delivers into a folder of a server.
///
/// A name appears there only when its bytes are whole.
public struct SFTPTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "sftp", "Delivers into a folder over SSH; the host has to prove who it is.", stability: .beta, needs: [.file, .digest],
        gives: [.receipt])

    public let traits: TargetTraits
    private let files: PlacedFiles

    public init(_ config: SFTPOptions, _ context: ModuleContext) throws(IngestError) {
        guard let path = config.path, let cut = PlacedFiles.cut(path) else {
            throw IngestError(.misconfigured, "The target \(context.name) has no path with a variable in it.")
        }
        let server = try config.server(context.lookup.secrets)
        files = PlacedFiles(FileTransport(server, config.transport), base: cut.base, rereads: config.verify == .reread)
        let place = "\(server.origin)/\(cut.base):\(config.user)"
        traits = TargetTraits(
            identity: (["sftp", place] + [context.event].compactMap { $0 }).joined(separator: ":"), layout: cut.layout,
            parallel: config.workers, accepts: config.accept.map { Set($0) }, maxSize: config.maxSize?.bytes)
    }

    public func check() async throws(IngestError) { try await files.check() }
    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        try await files.occupancy(of: path, for: job)
    }
    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? { try await files.find(job) }
    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { try await files.upload(job) }
    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        try await files.verify(receipt, size: size, sha256: sha256)
    }
}
