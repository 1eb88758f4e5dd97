import FilmgateTesting
import Foundation
import Testing

/// The sample gallery as a process of its own, with faults to order.
final class Gallery {
    let process = Process()
    let address: String
    static let token = "canary-7d1f-token"

    /// `in`: its folder; `at`: the address that an earlier one had.
    ///
    /// Its own is nobody else's while it is stopped.
    init(_ table: Table, in folder: String = "gallery", fault: String? = nil, at earlier: String? = nil) throws {
        let port = earlier?.split(separator: ":").last.map(String.init) ?? String(FreePort.next())
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments =
            ["sample", "gallery", "--dir", table.path(folder), "--port", port] + (fault.map { ["--fault", $0] } ?? [])
        process.environment = ProcessInfo.processInfo.environment.merging(["FILMGATE_GALLERY_TOKEN": Self.token]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = ""
        while !line.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            line += String(decoding: data, as: UTF8.self)
        }
        address = line.split(separator: " ").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
        try #require(address.hasPrefix("http://127.0.0.1:"))
    }

    deinit { stop() }

    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// What the gallery holds, asked by its own API: one entry per asset.
    func assets() throws -> [[String: Any]] {
        var request = URLRequest(address + "/api/assets?limit=1000")
        request.token = Self.token
        let object = try JSONSerialization.jsonObject(with: request.body()) as? [String: Any]
        return object?["assets"] as? [[String: Any]] ?? []
    }
}

/// A GET through curl: the tests need no HTTP client of their own.
struct URLRequest {
    let address: String
    var token: String?
    /// Asked for by another name than the address has.
    var host: String?

    init(_ address: String) { self.address = address }

    func body() throws -> Data {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments =
            ["-s", address] + (token.map { ["-H", "Authorization: Bearer \($0)"] } ?? [])
            + (host.map { ["-H", "Host: \($0)"] } ?? [])
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }
}

extension Table {
    /// A pipeline with a folder and the gallery.
    func pipeline(
        _ gallery: Gallery, name: String = "p.yaml", address: String? = nil, more: String = "", archive: String? = nil
    ) throws
        -> String
    {
        let base = address ?? gallery.address
        return try write(
            name,
            """
            version: 1
            sources:
              - card: { paths: ["\(card)"] }
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [archive, gallery] }
            targets:
              archive: { folder: { path: "\(archive ?? self.archive)/{captured:yyyy-MM-dd}", verify: size } }
              gallery:
                http:
                  url: "\(base)/api/assets"
                  auth: studio
                  digest: { json: sha256 }
                  find: { url: "\(base)/api/assets/{sha256}" }
                  stall_timeout: 2s
                  answer_timeout: 2s
                  \(more)
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            """)
    }

    /// A pipeline with one target, and its sign-in `studio`.
    func pipeline(to target: String, signedBy auth: String, in name: String = "p.yaml") throws -> String {
        try write(
            name,
            """
            version: 1
            sources:
              - card: { paths: ["\(card)"] }
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [gallery] }
            targets:
              gallery: { http: { url: "\(target)", auth: studio } }
            auth:
              studio: { \(auth) }
            """)
    }

    func deliver(_ pipeline: String, wait: String = "20s", token: String? = Gallery.token, _ more: [String] = []) throws
        -> Program.Outcome
    {
        try run(
            ["import", card, "--pipeline", pipeline, "--wait", wait] + more,
            environment: token.map { ["FILMGATE_GALLERY_TOKEN": $0] } ?? [:])
    }
}
