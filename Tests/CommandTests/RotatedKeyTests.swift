import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// An access key is the account in a bucket's identity: a new one looks like another account, and what waits for the
/// old one must not be left behind.
@Suite(.ownThreads, .serialized) struct RotatedKeyTests {
    private final class Bucket: Sendable {
        let refuses = Mutex(true), stored = Mutex(0)
    }
    private let table: Table, bucket = Bucket(), server: FaultServer

    init() throws {
        table = try Table()
        let bucket = bucket
        server = try FaultServer { seen, _ in
            guard seen.method == "PUT" else {
                return seen.method == "GET" ? .answer(200, body: "<ListBucketResult></ListBucketResult>") : .answer(404)
            }
            if bucket.refuses.withLock({ $0 }) {
                return .answer(403, body: "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>")
            }
            bucket.stored.withLock { $0 += 1 }
            return .answer(200, headers: [("ETag", "\"x\"")])
        }
        try table.frames("CARD", count: 2, from: 1)
    }

    private func pipeline(_ key: String, _ more: String = "") throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [gallery] }]
            targets: { gallery: { s3: { endpoint: "\(server.url)", bucket: b, key: "{name}", auth: keys\(more) } } }
            auth: { keys: { aws: { access_key: \(key), secret_key: "${env:SECRET}" } } }
            """)
    }

    private func run(_ verb: [String], _ key: String, _ more: String = "") throws -> Program.Outcome {
        try table.run(
            verb + ["--pipeline", try pipeline(key, more), "--wait", "5s"], environment: ["SECRET": "secret"])
    }

    @Test func whatWaitsForTheOldKeyIsAskedAbout() throws {
        let held = try run(["import", table.card], "AKOLD")
        #expect(held.status != 0 && held.count("pending") == 2, "\(held.output)\(held.errors)")
        bucket.refuses.withLock { $0 = false }
        let rotated = try run(["import", table.card], "AKNEW")
        #expect(rotated.status == 2, "\(rotated.output)\(rotated.errors)")
        #expect(rotated.output.contains("wait there with the sign-in `AKOLD`"), "\(rotated.output)")
        #expect(rotated.output.contains("`account: AKOLD`") && rotated.output.contains("`account: AKNEW`"))
        #expect(bucket.stored.withLock { $0 } == 0)
        let same = try run(["import", table.card], "AKNEW", ", account: AKOLD")
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        #expect(bucket.stored.withLock { $0 } == 2)
        server.stop()
    }

    /// Once something went there with the new key nobody asks; whoever tries the old ones again is told all the same.
    @Test func theWayOutIsNamedAlsoWhereTheNewKeyWasUsed() throws {
        #expect(try run(["import", table.card], "AKOLD").count("pending") == 2)
        bucket.refuses.withLock { $0 = false }
        _ = try run(["import", table.card], "AKNEW", ", account: AKNEW")
        #expect(bucket.stored.withLock { $0 } == 2)
        let retried = try run(["retry"], "AKNEW")
        #expect(retried.output.contains("account: AKOLD"), "\(retried.output)\(retried.errors)")
        #expect(retried.output.contains("filmgate cancel --target"))
        server.stop()
    }
}
