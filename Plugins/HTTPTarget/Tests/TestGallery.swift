import FileKit
import FilmgateCore
import FilmgateSample
import FilmgateTesting
import Glibc

/// The sample gallery in a temporary folder of its own.
final class TestGallery: Sendable {
    let server: GalleryServer, folder: String, port: Int

    init(token: String) async throws {
        var template = Array("/tmp/filmgate-gallery-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw CheckFailure("No temporary folder.") }
        folder = String(cString: path)
        server = try GalleryServer(directory: folder, token: token)
        port = try await server.start()
    }

    /// Copies of these bytes on its disk: the name in the digest's folder.
    func copies(_ sha256: String) throws -> Int { try FileSystem.names(in: "\(folder)/assets/\(sha256)").count }

    func stop() async {
        await server.stop()
        remove(folder)
    }

    private func remove(_ path: String) {
        for name in (try? FileSystem.names(in: path)) ?? [] {
            let inner = path + "/" + name
            if (try? FileFacts.of(inner)?.kind) == .directory { remove(inner) } else { FileSystem.remove(inner) }
        }
        rmdir(path)
    }

    /// For `HTTPBench.start`.
    static func start(_ secret: String) async throws -> HTTPBench.Server {
        let gallery = try await TestGallery(token: secret)
        return HTTPBench.Server(port: gallery.port, copies: { try gallery.copies($0) }, stop: { await gallery.stop() })
    }
}
