import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// What Prometheus is told of a run while one of its targets is dead and another one refuses.
@Suite(.ownThreads, .serialized) struct MetricsTests {
    @Test func everyTargetIsToldOfByItself() throws {
        let table = try Table(), gallery = try Gallery(table)
        let (push, port) = (FreePort.next(), FreePort.next())
        try table.frames("hot", count: 4, from: 0)
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms }
              - ftp: { listen: "127.0.0.1:\(push)", logins: [ { user: ann, password: "${env:FTP_PASSWORD}" } ] }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, dead, refusing] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
              dead: { http: { url: "http://127.0.0.1:9/up" } }
              refusing: { http: { url: "\(gallery.address)/api/assets", auth: studio, digest: { json: sha256 } } }
            auth:
              studio: { bearer: { token: "${env:WRONG_TOKEN}" } }
            """)
        let run = try Background(
            ["run", file, "--state", table.state, "--json", "--metrics", "127.0.0.1:\(port)"],
            environment: ["FTP_PASSWORD": "right", "WRONG_TOKEN": "wrong"])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 4 })
        _ = try URLRequest("ftp://ann:wrong@127.0.0.1:\(push)/").body()
        let size = table.files(table.archive).values.reduce(0) { $0 + $1.count }
        let wanted = [
            #"filmgate_deliveries_total{target="archive"} 4"#,
            #"filmgate_delivered_bytes_total{target="archive"} \#(size)"#,
            #"filmgate_shutter_to_delivered_seconds_count{target="archive"} 4"#,
            #"filmgate_target_held{target="archive"} 0"#, #"filmgate_target_held{target="dead"} 0"#,
            #"filmgate_target_held{target="refusing"} 1"#, #"filmgate_queue_bytes{target="archive"} 0"#,
            #"filmgate_queue_bytes{target="dead"} \#(size)"#, #"filmgate_queue_oldest_seconds{target="archive"} 0"#,
            #"filmgate_queue_oldest_seconds{target="dead"} "#,
            #"filmgate_refused_total{source="ftp 127.0.0.1:\#(push)",what="password"} 1"#,
            #"filmgate_disk_free_bytes{place="archive"} "#, #"filmgate_disk_free_bytes{place="spool"} "#,
        ]
        var text = ""
        let isThere = try Background.within(seconds: 20) {
            text = String(decoding: try URLRequest("http://127.0.0.1:\(port)/metrics").body(), as: UTF8.self)
            return wanted.allSatisfy(text.contains)
        }
        // A page in the browser may let its own name lead here.
        var misled = URLRequest("http://127.0.0.1:\(port)/metrics")
        misled.host = "rebound.example"
        #expect(!String(decoding: try misled.body(), as: UTF8.self).contains("filmgate_"))
        #expect(isThere, "\(wanted.filter { !text.contains($0) }) in \(text)")
        run.kill(SIGTERM)
    }
}
