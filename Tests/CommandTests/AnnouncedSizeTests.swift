import Foundation
import TestThreads
import Testing

/// A source that announces more bytes of a file than any spool holds, and sends few.
@Suite(.ownThreads) struct AnnouncedSizeTests {
    /// Two of eight files, each slow to come; `BIG` stands for their size.
    private static let liar = """
        #!/usr/bin/env python3
        import json, sys, time
        def listed(m):
            for number in range(8):
                entry = {"path": f"IMG_{number}.JPG", "size": BIG if number in (2, 5) else 9, "modified": 1700000000 + number}
                print(json.dumps({"id": m["id"], "entry": entry}), flush=True)
        def fetch(m):
            with open(m["into"], "wb") as pipe:
                pipe.write(b"picture " + m["path"][4:5].encode())
                pipe.flush()
                if m["path"] in ("IMG_2.JPG", "IMG_5.JPG"): time.sleep(1.5)
        known = {"configure": lambda m: {}, "places": lambda m: {"places": [{"address": "/liar", "label": "liar"}]},
                 "open": lambda m: {"volume": "liar"}, "list": listed, "fetch": fetch}
        hello = {"protocol": 1, "kind": "source", "manifest": {"name": "liar", "summary": "Announces too much."}, "fields": []}
        print(json.dumps({"hello": hello}), flush=True)
        for m in map(json.loads, sys.stdin):
            answer = {"done": known[m["do"]](m) or {}} if m["do"] in known else {"unsupported": True}
            print(json.dumps({"id": m["id"], **answer}), flush=True)
        """

    /// It is that file's own matter: the others wait while it is read, and are taken then.
    @Test(arguments: [75_161_927_680, 1 << 62, Int64.max]) func costsTheOthersNothing(_ size: Int64) throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.archive, withIntermediateDirectories: true)
        let module = try table.write("filmgate-module-liar", Self.liar.replacingOccurrences(of: "BIG", with: "\(size)"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: module)
        let file = try table.write(
            "pipeline.yaml",
            """
            version: 1
            modules: ["\(module)"]
            spool: { max: 1MiB }
            sources: [{ liar: {} }]
            stages: [{ dedupe: {} }, { upload: { to: [archive] } }]
            targets:
              archive: { folder: { path: "\(table.archive)/{name}" } }
            """)
        let outcome = try table.run(["run", file, "--once"])
        #expect(
            outcome.count("delivered") == 6 && outcome.count("setAside") == 2, "\(outcome.output) \(outcome.errors)")
        #expect(table.files(table.archive).count == 6)
    }
}
