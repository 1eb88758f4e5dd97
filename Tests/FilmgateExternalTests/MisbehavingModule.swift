import FilmgateCore
import FilmgateTesting
import Foundation
import Logging

@testable import FilmgateExternal

/// A module of many moods, written to a folder of its own: a target that misbehaves as its option `mood` says.
final class MisbehavingModule: Sendable {
    let folder: String
    var program: String { folder + "/filmgate-module-moody" }

    init(_ text: String = MisbehavingModule.script) throws {
        // As in the program: whoever writes to a child that died is told by the call.
        signal(SIGPIPE, SIG_IGN)
        folder = NSTemporaryDirectory() + "filmgate-moody-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Closed in whatever another test starts meanwhile: a program that somebody has open for writing cannot be
        // started.
        let file = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755), bytes = Array(text.utf8)
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw CheckFailure("\(program) cannot be written.")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func context(
        _ logger: Logger = Logger(label: "test"), _ secrets: any SecretResolver = CanarySecrets(),
        auth: [String: any AuthProvider] = [:]
    ) -> ModuleContext {
        ModuleContext(name: "far", logger: logger, state: folder, lookup: Lookup(auth: auth, secrets: secrets))
    }

    func target(_ options: [String: String], _ context: ModuleContext? = nil) throws -> any UploadTarget {
        guard case .target(let make) = try ExternalModule.entry(path: program).make else {
            throw CheckFailure("It is no target.")
        }
        var errors: [ConfigError] = []
        let pairs = options.merging(["log": folder + "/log"]) { $1 }.sorted { $0.key < $1.key }.map {
            ConfigNode.Pair(ConfigNode.Key($0.key, Mark()), ConfigNode(.scalar($0.value, quoted: false)))
        }
        return try make(ConfigNode(.map(pairs)), context ?? self.context(), &errors)
    }

    /// What the module was asked, in order.
    var asked: [String] {
        ((try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    static let script = #"""
        #!/usr/bin/env python3
        import json, os, signal, subprocess, sys, time
        HELLO = {"protocol": 1, "kind": "target", "silence": 3,
                 "manifest": {"name": "moody", "summary": "Misbehaves."},
                 "fields": [{"name": "mood", "kind": "text", "help": "How."}, {"name": "log", "kind": "path", "help": "Where."},
                            {"name": "key", "kind": "secret", "help": "A secret."},
                            {"name": "url", "kind": "text", "help": "Where to."},
                            {"name": "auth", "kind": "auth", "for": "url", "help": "A sign-in."}]}
        def say(**words):
            print(json.dumps(words), flush=True)
        def note(word):
            with open(options["log"], "a") as file:
                file.write(word + "\n")
        options, secrets = {}, {}
        say(hello=HELLO)
        for message in map(json.loads, sys.stdin):
            id, verb = message["id"], message["do"]
            options.update(message.get("options", {}))
            secrets.update(message.get("secrets", {}))
            mood = options.get("mood", "")
            note(verb + " " + str(os.getpid()))
            if verb == "configure":
                say(id=id, done={"identity": "here"})
            elif verb == "find" and mood == "goes on":
                while True:
                    say(id=id, progress={}); time.sleep(0.1)
            elif verb != "upload":
                say(id=id, **({"done": {}} if verb == "secrets" else {"unsupported": True}))
            elif mood == "crash once" and open(options["log"]).read().count("upload") == 1 or mood == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            elif mood == "silent":
                time.sleep(600)
            elif mood == "progress":
                for step in range(8):
                    time.sleep(0.5)
                    say(id=id, progress={"bytes": step})
                say(id=id, done={"id": "1"})
            elif mood == "long":
                sys.stdout.write("x" * (2 << 20)); sys.stdout.flush(); time.sleep(600)
            elif mood == "nonsense":
                print("Hello!", flush=True); time.sleep(600)
            elif mood == "other id":
                say(id=id + 7, done={"id": "1"})
            elif mood == "no receipt":
                say(id=id, done={})
            elif mood == "other bytes":
                say(id=id, done={"id": "1", "sha256": "0" * 64})
            elif mood == "strange code":
                say(id=id, failed={"code": "unexpected", "message": "line\nbreak " + secrets.get("key", "")})
            elif mood == "later":
                say(id=id, failed={"code": "rateLimited", "message": "later", "retryAfter": 7})
            elif mood == "talks":
                sys.stderr.write("key is " + secrets["key"] + "\n" + "y" * 300000 + "\n"); sys.stderr.flush()
                found = open("/proc/self/cmdline").read() + open("/proc/self/environ").read()
                say(id=id, done={"id": "seen" if secrets["key"] in found else "unseen"})
            elif mood == "children":
                note("child " + str(subprocess.Popen(["sleep", "600"]).pid))
                while True:
                    say(id=id, progress={}); time.sleep(0.1)
            elif mood == "sign":
                request = {"method": "PUT", "url": message["name"], "headers": []}
                say(id=id, ask={"do": "sign", "request": request})
                answer = json.loads(sys.stdin.readline())["answer"]
                say(id=id, done={"id": json.dumps(answer.get("done", answer).get("headers", answer))})
            elif mood == "asks on":
                while True:
                    say(id=id, ask={"do": "sign"}); sys.stdin.readline()
            elif mood == "tells":
                request = {"method": "PUT", "url": message["name"], "headers": []}
                say(id=id, ask={"do": "sign", "request": request})
                header = json.loads(sys.stdin.readline())["answer"]["done"]["headers"][0][1]
                sys.stderr.write("sent " + header + "\n"); sys.stderr.flush()
                say(id=id, failed={"code": "rejected", "message": "refused " + header})
            else:
                say(id=id, done={"id": "1"})
        """#
}
