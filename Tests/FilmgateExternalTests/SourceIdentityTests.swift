import FilmgateCore
import Testing

@testable import FilmgateExternal

/// Whether a source that is a program can tell its device from others of the kind.
@Suite struct SourceIdentityTests {
    /// `identifies`: as it stands in the answer to `open`; empty where it says nothing of that.
    private static func opened(_ identifies: String) async throws -> any SourceSession {
        let module = try MisbehavingModule(script.replacing("ANSWER", with: identifies))
        guard case .source(let make) = try ExternalModule.entry(path: module.program).make else {
            throw IngestError(.unexpected, "It is no source.")
        }
        var errors: [ConfigError] = []
        let source = try make(ConfigNode(.map([])), module.context(), &errors)
        return try await source.open(try #require(try await source.places().first))
    }

    @Test(arguments: [("", true), (#", "identifies": null"#, true), (#", "identifies": true"#, true)])
    func aVolumeTellsItsDeviceUnlessTheModuleSaysOtherwise(_ said: String, _ expected: Bool) async throws {
        let session = try await Self.opened(said)
        #expect(session.traits.identifiesDevice == expected && session.volume == "moody:v")
        await session.close()
    }

    /// Two cameras of one model without a serial number: what was taken from the first says nothing of the second.
    @Test func aModuleMaySayThatNothingTellsItsDeviceFromOthers() async throws {
        let session = try await Self.opened(#", "identifies": false"#)
        #expect(!session.traits.identifiesDevice)
        await session.close()
    }

    @Test(arguments: [#", "identifies": "no""#, #", "identifies": 0"#])
    func whatIsNeitherTrueNorFalseIsRefused(_ said: String) async throws {
        do {
            _ = try await Self.opened(said)
            Issue.record("It was taken.")
        } catch let error as IngestError {
            #expect(error.code == .unavailable && error.message.contains("neither true nor false"), "\(error)")
        }
    }

    private static let script = #"""
        #!/usr/bin/env python3
        import json, sys
        HELLO = {"protocol": 1, "kind": "source", "fields": [],
                 "manifest": {"name": "moody", "summary": "Has no serial number."}}
        def say(text):
            print(text, flush=True)
        say(json.dumps({"hello": HELLO}))
        for message in map(json.loads, sys.stdin):
            done = "{}"
            if message["do"] == "places":
                done = '{"places": [{"address": "here"}]}'
            elif message["do"] == "open":
                done = '{"volume": "v"ANSWER}'
            say('{"id": %d, "done": %s}' % (message["id"], done))
        """#
}
