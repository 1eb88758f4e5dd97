public import FilmgateCore

/// `none`: sends requests as they are.
///
/// For servers that ask for nothing, said aloud.
public struct NoAuth: Module, AuthProvider {
    public static let manifest = Manifest("none", "Sends no credential at all.")

    public init(_ config: NoOptions, _ context: ModuleContext) throws(IngestError) {}

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }
}
