import FilmgateCore
import Foundation
import Glibc
import Logging
import TestThreads
import Testing

@testable import FilmgateStudio

/// The page at an address that other machines reach, asked by curl, which checks the certificate as a browser does.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct EncryptionTests {
    private static func output(_ program: String, _ arguments: [String]) throws -> (exit: Int32, text: String) {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        (process.arguments, process.standardOutput, process.standardError) = (arguments, output, FileHandle.nullDevice)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Status, headers and body, with curl's word for the protocol in the first line.
    private static func get(_ bench: StudioBench, _ path: String, _ more: [String] = [], host: String? = nil) throws
        -> String
    {
        let port = bench.client.port, named = host.map { ["-H", "Host: \($0)"] } ?? []
        return try output(
            "/usr/bin/curl",
            ["-s", "-i", "-m", "20", "--cacert", bench.state + "/studio/certificate.pem"] + named + more + [
                "https://127.0.0.1:\(port)\(path)"
            ]
        ).text
    }

    @Test func othersReachItThroughTLS() async throws {
        try await StudioBench.with(everywhere: true) { bench async throws in
            let newer = try Self.get(bench, "/api/v1/about")
            let older = try Self.get(bench, "/api/v1/about", ["--http1.1"])
            #expect(newer.hasPrefix("HTTP/2 200") && older.hasPrefix("HTTP/1.1 200"), "\(newer) \(older)")
            #expect(newer.contains("content-security-policy: "))
            let page = try Self.get(bench, "/")
            #expect(page.hasPrefix("HTTP/2 200") && page.contains("Filmgate Studio"))
            // An address of this machine is its name; a name that leads here is not.
            #expect(try Self.get(bench, "/api/v1/about", host: "evil.example").hasPrefix("HTTP/2 421"))
            #expect(
                try Self.get(bench, "/api/v1/about", ["--http1.1"], host: "evil.example:\(bench.client.port)")
                    .hasPrefix("HTTP/1.1 421"))
            #expect(
                try Self.get(bench, "/api/v1/about", host: "192.0.2.1:\(bench.client.port)").hasPrefix("HTTP/2 421"))
        }
    }

    @Test func aSessionIsKeptToTLS() async throws {
        try await StudioBench.with(everywhere: true) { bench async throws in
            let code = try bench.server.makeCode(), origin = "Origin: https://127.0.0.1:\(bench.client.port)"
            let words = ["-H", "Content-Type: application/json", "-d", #"{"code":"\#(code)"}"#]
            // What a page at the same address without TLS would say.
            let other = try Self.get(
                bench, "/api/v1/session", words + ["-H", "Origin: http://127.0.0.1:\(bench.client.port)"])
            #expect(other.hasPrefix("HTTP/2 403"), "\(other)")
            let paired = try Self.get(bench, "/api/v1/session", words + ["-H", origin])
            #expect(paired.hasPrefix("HTTP/2 201"), "\(paired)")
            #expect(paired.contains("SameSite=Strict; Secure; Max-Age="))
        }
    }

    @Test func nobodyIsServedInPlainOrByAnOldTLS() async throws {
        try await StudioBench.with(everywhere: true) { bench async throws in
            let plain = try bench.client.send(raw: bench.client.request("GET", "/api/v1/about", [:]))
            #expect(plain == nil)
            let old = try Self.get(bench, "/api/v1/about", ["--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"])
            #expect(old.isEmpty, "\(old)")
        }
    }

    /// Each silent connection would keep somebody else out.
    @Test func whoSaysNothingIsSentAway() async throws {
        try await StudioBench.with(everywhere: true) { bench async throws in
            let silent = try bench.client.connected(), begun = ContinuousClock.now
            defer { close(silent) }
            var byte: UInt8 = 0
            let count = recv(silent, &byte, 1, 0)
            #expect(count <= 0 && ContinuousClock.now - begun < .seconds(60))
        }
    }

    @Test func theCertificateIsMadeOnceAndIsTheOneThatIsTold() throws {
        var template = Array("/tmp/filmgate-certificate-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try OwnCertificate(state: folder, names: ["studio.example", "tunnel.example:9000", "a,DNS:b"])
        let again = try OwnCertificate(state: folder, names: []), path = folder + "/studio/certificate.pem"
        #expect(first.fingerprint == again.fingerprint)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let told = try Self.output(
            "/usr/bin/openssl", ["x509", "-in", path, "-noout", "-fingerprint", "-sha256", "-text"]
        ).text
        #expect(told.uppercased().contains("SHA256 FINGERPRINT=" + first.fingerprint), "\(told)")
        #expect(
            told.contains("DNS:studio.example") && told.contains("DNS:tunnel.example")
                && told.contains("IP Address:127.0.0.1"))
        #expect(told.contains("CA:FALSE") && told.contains("TLS Web Server Authentication") && !told.contains("DNS:b"))
        let days = try Self.output(
            "/usr/bin/openssl", ["x509", "-in", path, "-noout", "-checkend", String(396 * 86_400)])
        #expect(days.exit == 0, "it counts for more than a year")
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: path))
        #expect(
            try OwnCertificate(state: folder, names: []).fingerprint != first.fingerprint,
            "one that cannot be read is made anew")
    }

    @Test(arguments: ["0.0.0.0", "192.168.1.5", "::"]) func withoutACertificateNoOtherMachineIsServed(
        _ host: String
    ) throws {
        #expect(throws: IngestError.self) { try StudioServer.check(host: host) }
        try StudioServer.check(host: host, isEncrypted: true)
        let error = try #require(throws: IngestError.self) { try StudioServer.check(host: host, options: "--studio-") }
        #expect(error.advice?.contains("--studio-self-signed") == true)
    }

    @Test(arguments: ["localhost", "studio.example", "", "127.1"]) func aNameIsNoAddress(_ host: String) {
        #expect(throws: IngestError.self) { try StudioServer.check(host: host, isEncrypted: true) }
    }
}
