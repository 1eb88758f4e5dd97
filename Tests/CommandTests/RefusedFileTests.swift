import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// A gallery that refuses one file as it would a sign-in, and one that refuses the sign-in.
@Suite(.ownThreads, .serialized) struct RefusedFileTests {
    private final class Uploads: Sendable {
        let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
    }
    private let table: Table, uploads = Uploads()

    init() throws { table = try Table() }

    /// `refuses`: of the name of a file.
    private func server(_ refuses: @escaping @Sendable (String) -> Bool) throws -> FaultServer {
        let uploads = uploads
        return try FaultServer { seen, _ in
            guard seen.method == "PUT" else { return .answer(404) }
            let name = seen.target.split(separator: "/").last.map(String.init) ?? ""
            uploads.names.withLock { $0.append(name) }
            return .answer(refuses(name) ? 403 : 201)
        }
    }

    private func take(_ server: FaultServer) throws -> Program.Outcome {
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [gallery] }]
            targets: { gallery: { http: { url: "\(server.url)/up/{name}", workers: 1 } } }
            """)
        return try table.run(["import", table.card, "--pipeline", file, "--wait", "20s"])
    }

    @Test func oneRefusedFileKeepsNoOtherWaiting() throws {
        try table.frames("CARD", count: 6, from: 1)
        let server = try server { $0 == "IMG_0003.JPG" }
        let run = try take(server)
        #expect(run.count("delivered") == 5 && run.count("pending") == 1, "\(run.output)\(run.errors)")
        let left = run.items().first { $0["ending"] as? String == "pending" }
        #expect((left?["path"] as? String)?.hasSuffix("IMG_0003.JPG") == true, "\(run.output)")
        #expect((left?["reason"] as? String)?.contains("403") == true, "\(run.output)")
        #expect(uploads.all.count { $0 == "IMG_0003.JPG" } <= 2)
        #expect(Set(uploads.all).count == 6)
        server.stop()
    }

    @Test func aRefusedSignInIsShownTwoFilesAtMost() throws {
        try table.frames("CARD", count: 30, from: 1)
        let server = try server { _ in true }
        let run = try take(server)
        #expect(run.status == 4 && run.count("pending") == 30, "\(run.output)\(run.errors)")
        #expect(uploads.all.count <= 2, "\(uploads.all)")
        server.stop()
    }
}
