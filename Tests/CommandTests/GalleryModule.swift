import Foundation

/// An external module with a list of events: `book` holds them, and beside it a log of what was sent for which.
///
/// Beside a file `.endless` its list has no end.
enum GalleryModule {
    static func module(_ table: Table) throws -> String {
        let path = try table.write("filmgate-module-hall", program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    static let program = #"""
        #!/usr/bin/env python3
        import json, os, sys
        FIELDS = [{"name": "book", "kind": "path", "help": "B."}, {"name": "url", "kind": "text", "help": "U."},
                  {"name": "auth", "kind": "auth", "for": "url", "help": "A."}]
        print(json.dumps({"hello": {"protocol": 1, "kind": "target", "fields": FIELDS,
            "manifest": {"name": "hall", "summary": "A gallery.", "needs": ["file", "digest"], "gives": ["receipt"]}}}), flush=True)
        for message in map(json.loads, sys.stdin):
            id, verb = message["id"], message["do"]
            answer = {"unsupported": True}
            if verb == "configure":
                book, event = message["options"]["book"], message["event"]
                answer = {"done": {"identity": "hall"}}
            elif verb == "events":
                try:
                    items, start = json.load(open(book)), int(message["after"] or 0)
                    more = str(start + 2) if start + 2 < len(items) or os.path.exists(book + ".endless") else None
                    answer = {"done": {"events": items[start:start + 2], "next": more}}
                except OSError:
                    answer = {"failed": {"code": "network", "message": "away"}}
            elif verb == "upload" and os.path.exists(book + ".down"):
                answer = {"failed": {"code": "network", "message": "away"}}
            elif verb == "upload":
                open(book + ".log", "a").write(f"{event} {message['event']}\n")
                answer = {"done": {"id": message["sha256"]}}
            print(json.dumps({"id": id, **answer}), flush=True)
        """#
}
