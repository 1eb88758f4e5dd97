import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Testing

@testable import WebDAVTarget

/// nginx with its WebDAV modules, one for all tests of this process; each test has a folder of its own.
enum Nginx {
    static let isInstalled =
        ServerProcess.has("nginx", "openssl")
        && FileManager.default.fileExists(atPath: "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")
    /// Ports: TLS with sign-in, then plain and open.
    static let server = SharedServer("nginx-dav", ports: 2)

    static func target(
        _ base: String, _ auth: (any AuthProvider)?, logger: Logger = Logger(label: "test"),
        state: String = Temporary.folder, _ edit: (inout WebDAVOptions) -> Void = { _ in }
    ) throws -> WebDAVTarget {
        var options = WebDAVOptions()
        options.url = try #require(AddressTemplate(base + "/{name}"))
        if auth != nil { options.web.auth = try AuthReference(node: ConfigNode(.scalar("cam", quoted: true))) }
        edit(&options)
        let lookup = Lookup(auth: auth.map { ["cam": $0] } ?? [:])
        return try WebDAVTarget(options, ModuleContext(name: "nas", logger: logger, state: state, lookup: lookup))
    }
}

@Suite(
    .serialized, .enabled(if: Nginx.isInstalled, "nginx with its dav-ext module is not installed: .ci/deps.sh peers"),
    .timeLimit(.minutes(10)))
struct ConformanceTests {
    static func bench(_ placing: WebDAVOptions.Placing) -> HTTPBench {
        var bench = HTTPBench { _ in
            let server = try await Nginx.server.start(), room = "/r" + SharedServer.newRoom()
            let folder = server.folder + "/files" + room
            return HTTPBench.Server(
                port: server.ports[1], room: room, copies: { try ServerFolder.copies($0, below: folder) })
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
