import TestThreads
import Testing

/// Options of cameras that were taken and silently made to fit.
@Suite(.ownThreads) struct CameraOptionCheckTests {
    @Test(arguments: [
        ("chunk: 0MiB", "out-of-range"), ("chunk: 64TiB", "out-of-range"), ("keep_alive: 0s", "out-of-range"),
        ("thumbnails: thumbs", "bad-path"), ("chunk: 1MiB, keep_alive: 20s, thumbnails: ~/thumbs", nil),
    ]) func outOfRangeIsSaid(option: String, code: String?) throws {
        let table = try Table()
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ ptp: { \(option) } }]
            stages: [{ dedupe: {} }, { upload: { to: [a] } }]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let check = try table.run(["check", pipeline])
        #expect(check.status == (code == nil ? 0 : 78))
        #expect(check.items("diagnostic").compactMap { $0["code"] as? String } == [code].compactMap { $0 })
    }
}
