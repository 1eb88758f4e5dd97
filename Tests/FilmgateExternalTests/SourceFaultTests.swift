import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateExternal

/// A source that breaks the protocol while it sends a file.
@Suite struct SourceFaultTests {
    private final class Bytes: ByteSink {
        let all = Mutex<[UInt8]>([])
        func write(_ bytes: RawSpan) throws(IngestError) {
            bytes.withUnsafeBytes { part in all.withLock { $0 += part } }
        }
    }

    private func opened(_ module: MisbehavingModule, faults: Int) async throws -> (
        session: any SourceSession, origin: Origin
    ) {
        guard case .source(let make) = try ExternalModule.entry(path: module.program).make else {
            throw IngestError(.unexpected, "none")
        }
        var errors: [ConfigError] = []
        let pairs = [("folder", module.folder), ("faults", String(faults))].map {
            ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode(.scalar($0.1, quoted: true)))
        }
        let source = try make(ConfigNode(.map(pairs)), module.context(), &errors)
        let session = try await source.open(try #require(try await source.places().first))
        return (session, try #require(try await session.entries().first).origin)
    }

    /// Empty but for what the test itself put there.
    private func leftovers(_ module: MisbehavingModule) throws -> [String] {
        let said = try String(contentsOfFile: module.folder + "/pipes", encoding: .utf8).split(separator: "\n").map(
            String.init)
        #expect(Set(said).count == said.count)
        return said.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }.filter {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// What the child that was ended had put into the pipe is not taken for the beginning of what the next one sends.
    @Test func theFileIsWholeWhenItIsTriedAgain() async throws {
        let module = try MisbehavingModule(Self.script), (session, origin) = try await opened(module, faults: 2)
        let sink = Bytes()
        try await session.fetch(origin, from: 0, into: sink)
        #expect(sink.all.withLock { $0 } == (0..<900_000).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        #expect(try leftovers(module).isEmpty)
        await session.close()
    }

    /// What the source has by now is another file: the beginning that came before is not its beginning.
    @Test func anotherFileOfTheNextChildIsNotSewnOn() async throws {
        let script = Self.script.replacingOccurrences(
            of: "number // 1000 % 256", with: "(number // 1000 + tries) % 256"
        )
        .replacingOccurrences(of: "content = bytes", with: "tries = note(\"tries\", \"one\"); content = bytes")
        let module = try MisbehavingModule(script), (session, origin) = try await opened(module, faults: 1)
        let sink = Bytes()
        let result = await Result { () async throws(IngestError) in
            try await session.fetch(origin, from: 0, into: sink)
        }
        guard case .failure(let error) = result else { throw IngestError(.unexpected, "It was taken.") }
        #expect(error.cause is OtherBytes && error.code == .corruptData, "\(error)")
        #expect(sink.all.withLock { $0 }.count <= 600_000)
        await session.close()
    }

    @Test func theSourceIsLostWithItsReasonAndNothingIsLeft() async throws {
        let module = try MisbehavingModule(Self.script), (session, origin) = try await opened(module, faults: 99)
        let result = await Result { () async throws(IngestError) in
            try await session.fetch(origin, from: 0, into: Bytes())
        }
        guard case .failure(let error) = result else { throw IngestError(.unexpected, "It was taken.") }
        #expect(error.code == .deviceGone)
        #expect(
            error.message.hasSuffix("The module `moody` sent a line that is no JSON object and was ended."),
            "\(error.message)")
        #expect(try leftovers(module).isEmpty)
        let children = try String(contentsOfFile: module.folder + "/children", encoding: .utf8).split(separator: "\n")
            .compactMap {
                pid_t($0)
            }
        #expect(children.count == 3 && children.allSatisfy { kill($0, 0) != 0 })
        await session.close()
    }

    private static let script = #"""
        #!/usr/bin/env python3
        import fcntl, json, os, sys, time
        HELLO = {"protocol": 1, "kind": "source", "manifest": {"name": "moody", "summary": "Misbehaves."},
                 "fields": [{"name": "folder", "kind": "path", "help": "Where."}, {"name": "faults", "kind": "text", "help": "How often."}]}
        def say(**words):
            print(json.dumps(words), flush=True)
        def note(file, word):
            with open(os.path.join(options["folder"], file), "a+") as file:
                file.write(word + "\n")
                file.seek(0)
                return len(file.readlines())
        options = {}
        say(hello=HELLO)
        for message in map(json.loads, sys.stdin):
            id, verb = message["id"], message["do"]
            options.update(message.get("options", {}))
            if verb == "places":
                say(id=id, done={"places": [{"address": "here"}]})
            elif verb == "open":
                say(id=id, done={"volume": "v"})
            elif verb == "list":
                say(id=id, entry={"path": "A.CR3", "size": 900000, "modified": 1})
                say(id=id, done={})
            elif verb == "fetch":
                content = bytes(number // 1000 % 256 for number in range(message["offset"], 900000))
                tries = note("pipes", message["into"])
                with open(message["into"], "wb", buffering=0) as pipe:
                    fcntl.fcntl(pipe, 1031, 1 << 20)
                    if tries <= int(options["faults"]):
                        note("children", str(os.getpid()))
                        pipe.write(content[:600000])
                        print("Hello!", flush=True)
                        time.sleep(600)
                    left = content
                    while left:
                        left = left[pipe.write(left):]
                say(id=id, done={})
            else:
                say(id=id, done={})
        """#
}
