import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import WebDAVTarget

/// nginx with its WebDAV modules, one for all tests of this process; each test has a folder of its own.
enum Nginx {
    static let isInstalled =
        ServerProcess.has("nginx", "openssl") && FileManager.default.fileExists(atPath: "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")
    private static let shared = Mutex<Task<ServerProcess, any Error>?>(nil)

    /// Ports: TLS with sign-in, then plain and open.
    static func start() async throws -> ServerProcess {
        let task = shared.withLock { task in
            let running = task ?? Task { try await ServerProcess("nginx-dav", ports: 2) }
            task = running
            return running
        }
        return try await task.value
    }

    static func target(
        _ base: String, _ auth: (any AuthProvider)?, logger: Logger = Logger(label: "test"),
        _ edit: (inout WebDAVOptions) -> Void = { _ in }
    ) throws -> WebDAVTarget {
        var options = WebDAVOptions()
        options.url = try #require(AddressTemplate(base + "/{name}"))
        if auth != nil { options.web.auth = try AuthReference(node: ConfigNode(.scalar("cam", quoted: true))) }
        edit(&options)
        let lookup = Lookup(auth: auth.map { ["cam": $0] } ?? [:])
        return try WebDAVTarget(options, ModuleContext(name: "nas", logger: logger, state: Temporary.folder, lookup: lookup))
    }

    /// How many files below a folder on the server's disk hold these bytes; names that are not final do not count.
    static func copies(_ sha256: String, in folder: String) throws -> Int {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return 0 }
        var count = 0
        while let name = walk.nextObject() as? String {
            let path = folder + "/" + name
            guard try FileFacts.of(path)?.kind == .regular, !(name as NSString).lastPathComponent.hasPrefix(".") else { continue }
            if try FileCopy.hash(path: path).digests.sha256 == sha256 { count += 1 }
        }
        return count
    }
}

@Suite(
    .serialized, .enabled(if: Nginx.isInstalled, "nginx with its dav-ext module is not installed: .ci/deps.sh peers"),
    .timeLimit(.minutes(10)))
struct ConformanceTests {
    static func bench(_ placing: WebDAVOptions.Placing) -> HTTPBench {
        var bench = HTTPBench { _ in
            let server = try await Nginx.start(), room = "/r" + String(UInt64.random(in: 0 ... .max), radix: 16)
            let folder = server.folder + "/root" + room
            return HTTPBench.Server(port: server.ports[1], room: room, copies: { try Nginx.copies($0, in: folder) })
        } make: { base, auth, logger, patience in
            try Nginx.target(base, auth, logger: logger) { options in
                (options.web.stallTimeout, options.web.answerTimeout, options.placing) = (patience, patience, placing)
            }
        } isUpload: {
            $0.method == "PUT"
        }
        bench.storesAtOnce = placing == .direct
        return bench
    }

    @Test(arguments: TargetConformance.checks) func moving(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench(.move).plain)
    }
    @Test(arguments: HTTPConformance.checks) func movingOverHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench(.move))
    }
    @Test(arguments: TargetConformance.checks) func direct(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench(.direct).plain)
    }
    @Test(arguments: HTTPConformance.checks) func directOverHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.bench(.direct))
    }
}
