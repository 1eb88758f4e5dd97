import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// What a camera pushed stays in the inbox as long as no target has these very bytes.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct PushedOriginalsTests {
    private static let password = "f7Qz-long-enough-91"

    /// The one target gets a stamped copy of each picture, or the picture itself.
    private func pipeline(_ table: Table, _ port: Int, stamps: Bool) throws -> String {
        let stamp = stamps ? ", { stamp: { creator: Ann, embed: [gallery] } }" : ""
        return try table.write(
            "push.yaml",
            """
            version: 1
            sources:
              - ftp:
                  listen: "127.0.0.1:\(port)"
                  inbox: "\(table.path("inbox"))"
                  settle: 0ms
                  companions: 0ms
                  logins: [ { user: ann, password: "${env:FTP_PASSWORD}" } ]
            stages: [ { exif: {} }, { dedupe: {} }\(stamp), { upload: { to: [gallery] } } ]
            targets: { gallery: { folder: { path: "\(table.path("gallery"))" } } }
            """)
    }

    private static let environment = ["FTP_PASSWORD": password]

    /// curl's exit code.
    private func push(_ table: Table, _ port: Int) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = [
            "-s", "--max-time", "60", "-u", "ann:\(Self.password)", "-T", "\(table.card)/DCIM/100CANON/IMG_0001.JPG",
            "ftp://127.0.0.1:\(port)/IMG_0001.JPG",
        ]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func isAtGallery(_ table: Table) -> Bool { table.files(table.path("gallery"))["IMG_0001.JPG"] != nil }

    private func inbox(_ table: Table) -> [Data] {
        table.files(table.path("inbox")).filter { $0.key.hasSuffix("/IMG_0001.JPG") }.map(\.value)
    }

    /// The first run keeps the original on purpose; the next one meets it again, and knows only that it was delivered.
    @Test(arguments: [true, false]) func anOriginalOfWhichOnlyAStampedCopyWasDeliveredOutlivesRestarts(
        _ stamps: Bool
    ) throws {
        let table = try Table(), port = FreePort.next(), file = try pipeline(table, port, stamps: stamps)
        try table.sampleCard()
        let picture = try #require(
            FileManager.default.contents(atPath: "\(table.card)/DCIM/100CANON/IMG_0001.JPG"))
        let run = try Background(["run", file, "--state", table.state, "--json"], environment: Self.environment)
        #expect(Background.within(seconds: 30) { (try? push(table, port)) == 0 })
        #expect(Background.within(seconds: 30) { isAtGallery(table) })
        let end = run.kill(SIGINT)
        #expect(end.count("delivered") == 1, "\(end.output)\(end.errors)")
        #expect(inbox(table) == (stamps ? [picture] : []))
        for _ in 0..<2 {
            let next = try table.run(["run", file, "--once"], environment: Self.environment)
            #expect(next.count("alreadySeen") == (stamps ? 1 : 0), "\(next.output)\(next.errors)")
            #expect(inbox(table) == (stamps ? [picture] : []))
        }
    }
}
